"""An exact reference of the memvara provider: environment and items in, prompt bytes out."""
