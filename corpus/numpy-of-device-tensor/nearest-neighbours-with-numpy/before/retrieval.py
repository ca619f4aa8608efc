import numpy as np


def recall_at_k(query, gallery, query_ids, gallery_ids, k=5):
    """All four arguments may be anything numpy understands."""
    distance = ((query[:, None, :] - gallery[None, :, :]) ** 2).sum(-1)
    nearest = np.argsort(distance, axis=1)[:, :k]
    return float((gallery_ids[nearest] == query_ids[:, None]).any(axis=1).mean())
