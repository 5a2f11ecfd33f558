import asyncio
import ssl

import aiosmtplib

from mails import AUTH, HOST, PASSWORD, PORT, WAY, build, each

options = {"use_tls": WAY == "smtps", "start_tls": WAY == "starttls"}
if WAY != "plain":
    options["tls_context"] = ssl._create_unverified_context()
if AUTH:
    options |= {"username": "u", "password": PASSWORD}
each(lambda name, kind: asyncio.run(
    aiosmtplib.send(build(name, kind), hostname=HOST, port=PORT, **options)
))
