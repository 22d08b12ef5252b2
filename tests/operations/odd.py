"""Values that no caller should pass, for every subject's operations."""


class Odd:
    """Something with the given attributes and no others; equal to itself only."""

    def __init__(self, **attributes: object) -> None:
        vars(self).update(attributes)

    def __repr__(self) -> str:
        return f"Odd({', '.join(vars(self))})"
