"""Synthetic speaker features: every speaker is a gaussian cloud."""
import torch

FEATURES = 20


class SpeakerBank:
    def __init__(self, speakers=12, seed=0):
        self.gen = torch.Generator().manual_seed(seed)
        self.centres = torch.randn(speakers, FEATURES, generator=self.gen)

    def utterance(self, speaker):
        return self.centres[speaker] + 1.5 * torch.randn(len(speaker), FEATURES, generator=self.gen)

    def sample_triplets(self, n):
        a = torch.randint(0, len(self.centres), (n,), generator=self.gen)
        shift = torch.randint(1, len(self.centres), (n,), generator=self.gen)
        b = (a + shift) % len(self.centres)
        return self.utterance(a), self.utterance(a), self.utterance(b)
