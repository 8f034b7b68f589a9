"""The family of section 3: kernels, likelihoods, inputs, inducing points, and the cube."""
