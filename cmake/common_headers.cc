// Nothing of its own: the target of the common headers needs a source.
