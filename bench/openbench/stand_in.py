"""A local stand-in for github.com: what OpenBench's server and clients ask it for, out of a local repository.

It is a proxy. Programs that follow HTTPS_PROXY ask it for a connection to api.github.com, and it answers with a
certificate of its own, which REQUESTS_CA_BUNDLE names. Nothing leaves the machine.
"""

import http.server
import io
import json
import re
import ssl
import subprocess
import threading
import urllib.parse
import zipfile

HOSTS = ("github.com", "api.github.com")


def git(repository, *arguments):
    """The output of a git command, as bytes."""
    return subprocess.run(["git", "-C", repository, *arguments], check=True, capture_output=True).stdout


def make_certificate(certificate, key):
    """Makes a certificate that is its own authority."""
    extensions = (
        "subjectAltName=" + ",".join("DNS:" + host for host in HOSTS),
        "basicConstraints=critical,CA:TRUE",
        "keyUsage=critical,digitalSignature,keyCertSign",
        "extendedKeyUsage=serverAuth",
    )
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=Stand-in"]
    command += ["-out", certificate, "-keyout", key]
    # The default configuration adds basicConstraints, which must not be there twice.
    command += ["-config", "-", *(word for extension in extensions for word in ("-addext", extension))]
    minimal = b"[req]\ndistinguished_name = name\n[name]\n"
    subprocess.run(command, check=True, input=minimal, stderr=subprocess.DEVNULL)


class StandIn(http.server.ThreadingHTTPServer):
    """Serves `repository` as github.com/`owner`/`name`, and the files of `downloads` by their paths."""

    daemon_threads = True

    def __init__(self, repository, owner, name, downloads, certificate, key):
        super().__init__(("127.0.0.1", 0), Handler)
        self.repository = repository
        self.project = f"/{owner}/{name}"
        self.downloads = downloads
        self.answered = []
        self.refused = []
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.load_cert_chain(certificate, key)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        """The address for HTTPS_PROXY."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def sha(self, revision):
        """The commit of a branch, tag or hash; None if there is none."""
        try:
            return (
                git(self.repository, "rev-parse", "--verify", "--end-of-options", revision + "^{commit}")
                .decode()
                .strip()
            )
        except subprocess.CalledProcessError:
            return None

    def commit(self, revision):
        """The description of a commit."""
        sha = self.sha(revision)
        message = sha and git(self.repository, "log", "-1", "--format=%B", sha).decode()
        return sha and {"sha": sha, "commit": {"message": message}}

    def branch(self, name):
        """The description of a branch."""
        commit = self.commit("refs/heads/" + name)
        return commit and {"name": name, "commit": commit}

    def compare(self, base, head):
        """How many commits `head` has more and fewer than `base`."""
        if not (self.sha(base) and self.sha(head)):
            return None
        counts = git(self.repository, "rev-list", "--left-right", "--count", f"{base}...{head}").split()
        return {"behind_by": int(counts[0]), "ahead_by": int(counts[1])}

    def archive(self, revision):
        """A commit as a zip file."""
        sha = self.sha(revision)
        return sha and git(self.repository, "archive", "--format=zip", f"--prefix=agoge-{sha[:7]}/", sha)

    def answer(self, host, path):
        """The object (for JSON) or the bytes at an address; None if there is nothing."""
        if host == "github.com":
            return self.downloads.get(path)
        if not path.startswith(f"/repos{self.project}/"):
            return None
        kind, _, rest = path.removeprefix(f"/repos{self.project}/").partition("/")
        if kind == "compare":
            ends = re.fullmatch(r"(.+?)\.\.\.(.+)", rest)
            return ends and self.compare(*ends.groups())
        find = {"branches": self.branch, "commits": self.commit, "zipball": self.archive}.get(kind)
        return find and find(rest)


class Handler(http.server.BaseHTTPRequestHandler):
    """A connection: CONNECT, then requests through TLS."""

    protocol_version = "HTTP/1.1"
    host = None

    def do_CONNECT(self):
        """Takes the place of the host."""
        self.host = self.path.rpartition(":")[0]
        if self.host not in HOSTS:
            self.server.refused.append(self.host)
            self.send_error(403)
            return
        self.send_response(200)
        self.end_headers()
        self.close_connection = False  # even in HTTP/1.0
        self.connection = self.server.tls.wrap_socket(self.connection, server_side=True)
        self.rfile = self.connection.makefile("rb")
        self.wfile = self.connection.makefile("wb")

    def do_GET(self):
        """Answers a request."""
        path = urllib.parse.unquote(self.path)
        answer = self.server.answer(self.host, path)
        (self.server.refused if answer is None else self.server.answered).append(f"{self.host}{path}")
        status, body = (404, {"message": "Not Found"}) if answer is None else (200, answer)
        is_file = isinstance(body, bytes)
        content = body if is_file else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/zip" if is_file else "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        self.wfile.flush()

    def log_message(self, *_):
        """Requests are kept in lists instead."""


def zip_file(name, content):
    """A zip file with one file."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return data.getvalue()
