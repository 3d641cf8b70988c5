"""Where effects happen: reading, and the one path by which anything is written."""
