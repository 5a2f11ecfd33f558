"""Writes each mail as a file, for programs that send files: `OUT/<kind>.eml`."""
import email.policy
import os

from mails import KINDS, build

for name, kind in KINDS.items():
    policy = email.policy.SMTPUTF8 if name == "utf8" else email.policy.SMTP
    with open(f"{os.environ['OUT']}/{name}.eml", "wb") as file:
        file.write(build(name, kind, policy).as_bytes())
