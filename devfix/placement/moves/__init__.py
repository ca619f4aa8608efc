"""Moving one operand: where it is made, named, handed on or used, best first."""
