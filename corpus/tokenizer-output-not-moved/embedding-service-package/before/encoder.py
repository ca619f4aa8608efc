from transformers import BertConfig, BertModel

from words import build_tokenizer


def load(device):
    """The tokenizer and the encoder, the latter on its device and in evaluation mode."""
    tokenizer = build_tokenizer()
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=20, num_hidden_layers=2, num_attention_heads=4,
        intermediate_size=40, max_position_embeddings=24,
    )
    model = BertModel(config, add_pooling_layer=False)
    return tokenizer, model.to(device).eval()
