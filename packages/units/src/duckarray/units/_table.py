"""The units that are known from the start, as text.

Definitions are those of the SI Brochure (9th edition, 2019; tables 2 to 4, 7 and 8), of NIST SP 811
(2008, appendix B) for units outside the SI, and of CODATA 2022 for measured ones (`Da`, `u`).
"""

# Symbols, and names whose plural has no `s`; after a bar, those whose plural has one. A star:
# prefixes may stand before it.
UNITS = """
* m | metre meter
* g | gram gramme
* s sec | second
* A | ampere amp
* K | kelvin
* mol | mole
* cd | candela
* rad | radian
* sr | steradian = rad2
* Hz | hertz = 1/s
* N | newton = kg m/s2
* Pa | pascal = N/m2
* J | joule = N m
* W | watt = J/s
* C | coulomb = A s
* V | volt = W/A
* F | farad = C/V
* Ω Ohm | ohm = V/A
* S | siemens = A/V
* Wb | weber = V s
* T | tesla = Wb/m2
* H | henry = Wb/A
* lm | lumen = cd sr
* lx | lux = lm/m2
* Bq | becquerel = 1/s
* Gy | gray = J/kg
* Sv | sievert = J/kg
* kat | katal = mol/s
min | minute = 60 s
h hr | hour = 60 min
d | day = 24 h
wk | week = 7 d
fortnight | = 14 d
* yr a | year julian_year = 365.25 d
° deg | degree = pi/180 rad
arcmin | arcminute = 1/60 deg
arcsec | arcsecond = 1/60 arcmin
mas | milliarcsecond = 1/1000 arcsec
uas | microarcsecond = 1/1000000 arcsec
gon | gradian = 9/10 deg
rev | revolution turn = 2 pi rad
cycle | = 1
rpm | = rev/min
ha | hectare = 10000 m2
are | = 100 m2
* L l | litre liter = 1/1000 m3
* t | tonne = 1000 kg
* eV | electronvolt = 1.602176634e-19 J
Eh E_h | hartree = 4.3597447222060e-18 J
c | = 299792458 m/s
* Da | dalton = 1.66053906892e-27 kg
u amu | = 1.66053906892e-27 kg
au AU | astronomical_unit = 149597870700 m
* pc | parsec = 648000 au / pi
* ly lyr | lightyear light_year = 299792458 m yr / s
Å | angstrom = 1e-10 m
| micron = 1e-6 m
* barn | = 1e-28 m2
nmi | nautical_mile = 1852 m
kn | knot = nmi/h
kph | = km/h
mph | = mi/h
* bar | = 100000 Pa
atm | atmosphere = 101325 Pa
* Torr torr | = 101325/760 Pa
mmHg | = 133.322387415 Pa
inHg | = 25.4 mmHg
psi | = lbf/in2
ksi | = 1000 psi
* dyn | dyne = 1e-5 N
* erg | = 1e-7 J
* Gal | = cm/s2
* P | poise = g/(cm s)
* St | stokes = cm2/s
* G | gauss = 1e-4 T
Mx | maxwell = 1e-8 Wb
Oe | oersted = 1000 A / (4 pi m)
* Jy | jansky = 1e-26 W/(m2 Hz)
* Ci | curie = 3.7e10 Bq
R | roentgen = 2.58e-4 C/kg
rem | = 0.01 Sv
rd | = 0.01 Gy
* cal | calorie = 4.184 J
Cal | = 4184 J
BTU Btu | = 1055.05585262 J
therm | = 105505585.262 J
tTNT | = 4.184e9 J
* Wh | watthour watt_hour = W h
* Ah | amperehour = A h
hp horsepower | = 550 ft lbf/s
PS metric_horsepower | = 75 kgf m/s
in inch inches | = 0.0254 m
ft foot feet | = 12 in
yd | yard = 3 ft
mi | mile = 1760 yd
mil thou | = 1/1000 in
fathom | = 6 ft
rod | = 5.5 yd
chain | = 22 yd
acre | = 4840 yd2
lb lbm | pound = 0.45359237 kg
oz | ounce = 1/16 lb
gr | grain = 1/7000 lb
st | stone = 14 lb
ton short_ton | = 2000 lb
long_ton | = 2240 lb
oz_t | troy_ounce = 480 gr
ct | carat = 0.2 g
slug | = lbf s2/ft
lbf | pound_force = 9.80665 lb m/s2
kgf kp | kilogram_force = 9.80665 N
kip | = 1000 lbf
gal | gallon = 231 in3
qt | quart = 1/4 gal
pt | pint = 1/8 gal
cup | = 1/16 gal
fl_oz | fluid_ounce = 1/128 gal
bbl | barrel = 42 gal
imp_gal | imperial_gallon = 4.54609 L
imp_pt | imperial_pint = 1/8 imp_gal
* M | molar = mol/L
% pct percent | = 1/100
‰ permille | = 1/1000
ppm | = 1e-6
ppb | = 1e-9
ppt | = 1e-12
g_n g0 standard_gravity | = 9.80665 m/s2
degR | rankine = 5/9 K
"""

# With an origin of their own: name, aliases, the unit of their differences, the zero in kelvin.
AFFINE = """
degC °C celsius deg_C degree_Celsius | = 1 K @ 273.15
degF °F fahrenheit deg_F degree_Fahrenheit | = 5/9 K @ 45967/180
"""

DELTA = """
delta_degC delta_celsius | = 1 K
delta_degF delta_fahrenheit | = 5/9 K
"""

# Levels: `x` of the unit is `10**(x * exponent)` of the reference.
LOG = """
dB | decibel = 1 @ 1/10
dBm | = 1/1000 W @ 1/10
dBW | = W @ 1/10
dex | = 1 @ 1
mag | magnitude = 1 @ -2/5
"""

PREFIXES = """
Q quetta 30
R ronna 27
Y yotta 24
Z zetta 21
E exa 18
P peta 15
T tera 12
G giga 9
M mega 6
k kilo 3
h hecto 2
da deca 1
d deci -1
c centi -2
m milli -3
µ micro -6
n nano -9
p pico -12
f femto -15
a atto -18
z zepto -21
y yocto -24
r ronto -27
q quecto -30
"""
