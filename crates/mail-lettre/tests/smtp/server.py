"""A real SMTP server for the tests beside it, made of aiosmtpd.

It takes mail into a folder, one file for each, named by order and by the port that the connection came from. It
refuses what goes to nobody@, and puts off everything while a file called "busy" is in the folder. It writes one line
with its port when it is up, and ends when its standard input does, which is when the test ends, however that ends.
"""

import argparse
import asyncio
import itertools
import pathlib
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword


class Mailbox:
    def __init__(self, folder):
        self.folder = folder
        self.count = itertools.count(1)

    async def handle_RCPT(self, server, session, envelope, address, options):
        if (self.folder / "busy").exists():
            return "451 4.7.1 try again later"
        if address.startswith("nobody@"):
            return "550 5.1.1 no such mailbox"
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 fine"

    async def handle_DATA(self, server, session, envelope):
        number, port = next(self.count), session.peer[1]
        head = f"X-Envelope-From: {envelope.mail_from}\r\nX-Envelope-To: {', '.join(envelope.rcpt_tos)}\r\n"
        head += f"X-Encrypted: {server.transport.get_extra_info('cipher') is not None}\r\nX-Logged-In: {session.authenticated}\r\n"
        unfinished = self.folder / f"{number}.part"
        unfinished.write_bytes(head.encode() + envelope.original_content)
        unfinished.rename(self.folder / f"{number}-{port}.eml")
        return "250 2.0.0 taken"


def protocol(options, context):
    user, _, password = (options.login or "").partition(":")

    def check(server, session, envelope, mechanism, data):
        right = isinstance(data, LoginPassword) and (data.login, data.password) == (user.encode(), password.encode())
        return AuthResult(success=right, handled=right)

    mailbox = Mailbox(options.folder)
    return lambda: SMTP(
        mailbox,
        hostname="localhost",
        tls_context=None if options.implicit else context,
        authenticator=check,
        auth_required=bool(options.login),
        auth_require_tls=False,
    )


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--login")
    parser.add_argument("--certificate")
    parser.add_argument("--key")
    parser.add_argument("--implicit", action="store_true")
    options = parser.parse_args()
    context = None
    if options.certificate:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(options.certificate, options.key)
    loop = asyncio.get_running_loop()
    implicit = context if options.implicit else None
    server = await loop.create_server(protocol(options, context), "127.0.0.1", options.port, ssl=implicit)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


asyncio.run(main())
