"""Settings that hold for all tests."""

from hypothesis import settings

settings.register_profile("suture", deadline=None)  # a shared machine stalls now and then, and time proves nothing here
settings.load_profile("suture")
