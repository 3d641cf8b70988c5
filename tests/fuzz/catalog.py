"""Every target, by name."""

from __future__ import annotations

from tests.fuzz import calls, expressions, interfaces, replies, stores, texts

TARGETS = {
    target.name: target
    for module in (replies, expressions, calls, stores, texts, interfaces)
    for target in module.TARGETS
}
