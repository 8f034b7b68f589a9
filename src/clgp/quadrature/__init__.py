"""Engine two, the default: support points with learnt weights, in NumPy."""

from clgp.quadrature.fit import fit as fit
from clgp.quadrature.notes import Fitted as Fitted
from clgp.quadrature.settings import Settings as Settings
