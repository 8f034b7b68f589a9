"""The paper's engine (section 4), in JAX; asking for it without the extra says what to install."""
