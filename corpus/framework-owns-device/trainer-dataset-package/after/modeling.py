from transformers import BertConfig


def tiny_bert(labels, vocab=80):
    return BertConfig(
        vocab_size=vocab,
        hidden_size=24,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=48,
        max_position_embeddings=16,
        num_labels=labels,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
