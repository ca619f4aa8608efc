"""What is written back into a tensor of the CPU is moved to it; an entry of a dict says where to move to."""

from __future__ import annotations

from textwrap import dedent

from text_program import fix_texts

from devfix.findings import Applicability


def fixed(text: str) -> str:
    return fix_texts({"main.py": dedent(text)}, Applicability.UNSAFE)[0]["main.py"]


def test_running_numbers_of_examples_stay_on_the_cpu() -> None:
    text = fixed(
        """\
        import torch

        class Curriculum:
            def __init__(self, n):
                self.running = torch.ones(n)

            def update(self, index, losses):
                self.running[index] = 0.9 * self.running[index] + 0.1 * losses

        plan = Curriculum(8)
        device = torch.device("cuda")
        plan.update(torch.arange(4), torch.rand(4).to(device))
        """
    )
    assert "0.9 * self.running[index] + (0.1 * losses).to(self.running.device)\n" in text


def test_a_draw_is_moved_to_what_a_dict_holds() -> None:
    text = fixed(
        """\
        import torch

        class Mix:
            def __init__(self):
                self.beta = torch.distributions.Beta(0.4, 0.4)

            def __call__(self, s):
                w = self.beta.sample((4,))
                return {**s, "x": w * s["x"]}

        def main():
            chosen = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            print(Mix()({"x": torch.rand(4).to(chosen)})["x"])

        main()
        """
    )
    assert '"x": w.to(s["x"].device) * s["x"]' in text
