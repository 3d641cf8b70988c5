"""Every target, by name."""

from __future__ import annotations

from tests.fuzz import calls, doors, expressions, replies, stores, texts

TARGETS = {
    target.name: target for module in (replies, expressions, calls, stores, texts, doors) for target in module.TARGETS
}
