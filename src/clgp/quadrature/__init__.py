"""Engine two, the default: support points with learnt weights, in NumPy."""
