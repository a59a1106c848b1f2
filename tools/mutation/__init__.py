"""The mutation gate: what can be changed in the watched code without a test noticing?"""
