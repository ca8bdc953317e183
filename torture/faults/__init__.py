"""What is left behind when the machine fails: killed at any moment, a full disk, little memory, another locale or clock?"""
