"""The audit: whether the data that judged a model were kept from training it, and fairly used."""
