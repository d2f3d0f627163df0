#!/usr/bin/env python3
"""Runs Agoge on OpenBench, with an unmodified server and two unmodified clients on this machine.

The server and the clients use the loopback interface only. A proxy (stand_in.py) takes the place of GitHub and serves
branches, sources and the book out of the repository. On the server run, one after the other,

  1. a fixed-games test, until both clients have built both engines; then it is stopped,
  2. an SPRT of the last commit against one with a weaker search. One client is killed in the middle and started again.
     The server's results must equal those that `agoge-bench match` computes from the clients' games,
  3. an SPSA tuning of three parameters,
  4. a data generation, whose games are imported and train a network.

Linux only. It needs what bench/openbench/README.md needs, and unshare (util-linux) and openssl. Each client runs in a
PID namespace of its own, since OpenBench's clients kill engines by name. Building the engines takes most of the time.

    git clone https://github.com/AndyGrant/OpenBench && cd OpenBench
    python3 -m venv venv && venv/bin/pip install -r requirements.txt -r Client/requirements.txt
    AGOGE/bench/openbench/rehearse.py --openbench . --runner AGOGE/target/release/agoge-bench --work rehearsal
"""

import argparse
import bz2
import collections
import contextlib
import http.cookiejar
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tarfile
import time
import urllib.error
import urllib.parse
import urllib.request
from html.parser import HTMLParser
from pathlib import Path

from stand_in import StandIn, git, make_certificate, zip_file

ENGINE = "Agoge"
OWNER = "agoge-rehearsal"
USER, PASSWORD = "rehearsal", "rehearsal-password"
ADMIN, ADMIN_PASSWORD = "admin", "admin-password"
BOOK = "Spartan.epd"
CLIENTS = ("client1", "client2")
# The change that makes the base of the SPRT weaker by some 100 Elo: late move pruning begins much too early.
WEAKER = (r"\blmp_base = \d+,", "lmp_base = 2,")
TUNED = ("lmr_factor", "rfp_margin", "lmp_base")
PLAY = {"both_options": "Threads=1 Hash=8", "both_time_control": "N=1000"}
SPRT_BOUNDS = (0.0, 3.0)
SPSA = {"spsa_iterations": 40, "spsa_pairs_per": 4}
DATAGEN_GAMES = 400
# The games that a client has reported when it is killed: more than its first report, which has one pair.
KILL_AFTER = 10
TIMEOUT = 3600
NAMESPACE = ("unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc")


class Failure(Exception):
    """The rehearsal cannot go on."""


def step(message):
    """Says what is done, with the time."""
    print(time.strftime("%H:%M:%S"), message, flush=True)


def wait(what, condition, seconds=TIMEOUT, interval=2):
    """Waits until `condition` returns something, and returns it."""
    end = time.monotonic() + seconds
    while not (result := condition()):
        if time.monotonic() > end:
            raise Failure(f"{what}: not within {seconds} s")
        time.sleep(interval)
    return result


class Checks:
    """The table of what was done and whether it was right."""

    def __init__(self):
        self.rows = []

    def add(self, what, found, right):
        """Adds a row."""
        self.rows.append((what, str(found), bool(right)))

    def equal(self, what, server, ours):
        """Adds a comparison of the server's value with ours."""
        self.add(what, f"server {server}, from the games {ours}", server == ours)

    def print(self):
        """Prints all rows, and returns whether all are right."""
        width = max((len(what) for what, _, _ in self.rows), default=0)
        for what, found, right in self.rows:
            print(f"{'ok   ' if right else 'WRONG'} {what:<{width}}  {found}")
        return all(right for _, _, right in self.rows)


# Commits


class Source:
    """The clone of the repository that the clients get: branches main, weaker and tune."""

    def __init__(self, options):
        self.path = options.work / "agoge"
        self.engines = options.engines
        self.target = options.target
        git(".", "clone", "--quiet", "--no-checkout", options.repository, str(self.path))
        git(self.path, "checkout", "--quiet", "-B", "main", self.find(options.repository, options.revision))
        self.main = git(self.path, "rev-parse", "main").decode().strip()
        self.bench = self.last_bench()

    @staticmethod
    def find(repository, revision):
        """The hash of a revision in the original repository, whose branches a clone does not have."""
        return git(repository, "rev-parse", "--verify", revision + "^{commit}").decode().strip()

    def last_bench(self):
        """The `Bench:` of the history: a commit without one does not change it."""
        benches = re.findall(r"^Bench: (\d+)$", git(self.path, "log", "-100", "--format=%B", "main").decode(), re.M)
        if not benches:
            raise Failure("no commit message has a line `Bench:`")
        return int(benches[0])

    def file(self, path):
        """A file of the branch main."""
        return git(self.path, "show", f"main:{path}")

    def replace(self, path, pattern, text):
        """Changes a file of the work tree."""
        old = (self.path / path).read_text()
        new, count = re.subn(pattern, text, old, flags=re.M)
        if count != 1:
            raise Failure(f"{path}: {pattern} found {count} times")
        (self.path / path).write_text(new)

    def build(self, name, **variables):
        """Builds the engine of the work tree, or takes the one of an earlier run."""
        engine = self.engines / f"{name}-{self.main[:8]}"
        if not engine.exists():
            step(f"building the engine of branch {name}")
            command = ["make", "-C", self.path / "engine", f"EXE={name}"]
            command += [f"{key}={value}" for key, value in variables.items()]
            with open(self.engines / f"{name}.log", "wb") as log:
                environment = {**os.environ, "CARGO_TARGET_DIR": str(self.target)}
                subprocess.run(command, check=True, env=environment, stdout=log, stderr=log)
            shutil.move(self.path / "engine" / name, engine)
        return engine

    def commit(self, message, bench):
        """Commits the work tree; the same change always makes the same commit."""
        date = git(self.path, "log", "-1", "--format=%cI", "main").decode().strip()
        person = {"NAME": "Rehearsal", "EMAIL": "rehearsal@example.org", "DATE": date}
        environment = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in person.items()}
        command = ["git", "-C", self.path, "commit", "--quiet", "--all", "-m", message, "-m", f"Bench: {bench}"]
        subprocess.run(command, check=True, env={**os.environ, **environment})

    def make_weaker(self):
        """Makes the branch that must lose."""
        git(self.path, "switch", "--quiet", "--create", "weaker", "main")
        self.replace("engine/src/search/params.rs", *WEAKER)
        output = subprocess.run([self.build("weaker"), "bench"], check=True, stdout=subprocess.PIPE).stdout
        self.commit("Prune more", int(output.decode().splitlines()[-1].split()[0]))

    def make_tune(self):
        """Makes the branch to tune, and returns the input of OpenBench's form."""
        git(self.path, "switch", "--quiet", "--create", "tune", "main")
        self.replace("engine/Makefile", r"^FEATURES =.*", "FEATURES = tune")
        engine = self.build("tune")
        self.commit("Tune", self.bench)
        output = subprocess.run([engine, "spsa", *TUNED], check=True, stdout=subprocess.PIPE).stdout
        return output.decode().strip()


# The server


class Form(HTMLParser):
    """The fields of a page's form with the values it starts with."""

    def __init__(self, page):
        super().__init__()
        self.fields = {}
        self.select = None
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        name = attributes.get("name")
        if tag == "select":
            self.select = name
            self.fields[name] = ""
        elif tag == "option" and self.select:
            if "selected" in attributes or not self.fields[self.select]:
                self.fields[self.select] = attributes.get("value", "")
        elif tag == "textarea":
            self.fields[name] = ""
        elif tag == "input" and name and attributes.get("type") not in ("checkbox", "submit"):
            self.fields[name] = attributes.get("value", "")

    def handle_endtag(self, tag):
        if tag == "select":
            self.select = None


class Browser:
    """A user's browser."""

    def __init__(self, address):
        self.address = address
        self.cookies = http.cookiejar.CookieJar()
        no_proxy = urllib.request.ProxyHandler({})
        self.opener = urllib.request.build_opener(no_proxy, urllib.request.HTTPCookieProcessor(self.cookies))

    def get(self, path):
        """A page, as bytes."""
        with self.opener.open(self.address + path, timeout=60) as response:
            return response.read()

    def json(self, path):
        """An answer of the server's interface for programs."""
        return json.loads(self.get(path))

    def submit(self, path, **values):
        """Fills in the form of a page and sends it."""
        fields = Form(self.get(path).decode()).fields
        fields.update(values)
        fields = {name: value for name, value in fields.items() if value is not None}
        data = urllib.parse.urlencode(fields).encode()
        with self.opener.open(self.address + path, data, timeout=60) as response:
            return response.read().decode()


def free_port():
    """A port that nothing listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Server:
    """OpenBench's server, set up as in README.md."""

    def __init__(self, options, source, environment, ends):
        self.folder = options.work / "server"
        self.python = options.python
        self.environment = environment
        self.address = f"http://127.0.0.1:{free_port()}"
        git(".", "clone", "--quiet", options.openbench, str(self.folder))
        self.configure(source)
        self.start(options.work / "server.log", ends)
        self.user = self.make_user()

    def configure(self, source):
        """Writes the configuration."""
        for name, folder in ((f"{ENGINE}.json", "Engines"), (f"{BOOK}.json", "Books")):
            text = source.file(f"bench/openbench/{name}").decode().replace("OWNER", OWNER)
            (self.folder / folder / name).write_text(text)
        path = self.folder / "Config" / "config.json"
        config = json.loads(path.read_text())
        config.update(engines=[ENGINE], books=[BOOK], fastchess_min_version="0.1.0")
        path.write_text(json.dumps(config, indent=4))
        self.engine = json.loads((self.folder / "Engines" / f"{ENGINE}.json").read_text())

    def manage(self, *arguments, **keywords):
        """Starts a command of manage.py."""
        command = [self.python, "manage.py", *arguments]
        return subprocess.Popen(
            command, cwd=self.folder, env={**self.environment, **keywords.pop("env", {})}, **keywords
        )

    def start(self, log, ends):
        """Creates the database and the administrator, and starts the server."""
        with open(log, "wb") as file:
            output = {"stdout": file, "stderr": file}
            admin = {"DJANGO_SUPERUSER_USERNAME": ADMIN, "DJANGO_SUPERUSER_PASSWORD": ADMIN_PASSWORD}
            admin["DJANGO_SUPERUSER_EMAIL"] = "admin@example.org"
            for arguments in (("migrate",), ("createsuperuser", "--noinput")):
                if self.manage(*arguments, env=admin, **output).wait() != 0:
                    raise Failure(f"manage.py {arguments[0]} failed: see {log}")
            host = self.address.removeprefix("http://")
            self.process = self.manage("runserver", host, "--noreload", **output)
            ends.callback(self.stop)

        def answers():
            if self.process.poll() is not None:
                raise Failure(f"the server ended: see {log}")
            try:
                return Browser(self.address).get("/index/")
            except urllib.error.URLError:
                return None

        wait("the server", answers, 120, 1)

    def make_user(self):
        """Registers the user; the administrator lets it start tests."""
        user = Browser(self.address)
        user.submit("/register/", username=USER, password1=PASSWORD, password2=PASSWORD, email="user@example.org")
        admin = Browser(self.address)
        admin.submit("/admin/login/", username=ADMIN, password=ADMIN_PASSWORD)
        profile = re.search(r"/admin/OpenBench/profile/\d+/change/", admin.get("/admin/OpenBench/profile/").decode())
        owner = self.query("SELECT id FROM auth_user WHERE username = ?", USER)[0]["id"]
        admin.submit(profile.group(), user=owner, repos="{}", enabled="on", approver="on")
        user.submit("/login/", username=USER, password=PASSWORD)
        return user

    def query(self, text, *values):
        """Rows of the database."""
        database = sqlite3.connect(f"file:{self.folder}/db.sqlite3?mode=ro", uri=True, timeout=60)
        database.row_factory = sqlite3.Row
        try:
            return database.execute(text, values).fetchall()
        finally:
            database.close()

    def create(self, kind, preset, **values):
        """Creates a test, tuning or data generation from a preset, and returns its number."""
        presets = self.engine[f"{kind}_presets"]
        fields = {"priority": 0, "throughput": 1000, "scale_nps": self.engine["nps"], "upload_pgns": "FALSE"}
        fields.update(presets["default"], **presets[preset])
        fields.update(values)
        for side in ("dev", "base"):
            fields.update({f"{side}_engine": ENGINE, f"{side}_repo": self.engine["source"], f"{side}_network": ""})
            for name in ("branch", "bench", "options", "time_control"):
                if f"both_{name}" in fields:
                    fields[f"{side}_{name}"] = fields[f"both_{name}"]
        self.user.submit(f"/{kind}/new/", **fields)
        number = self.query("SELECT max(id) AS last FROM OpenBench_test")[0]["last"]
        info = number and self.info(number)
        if not info or info["dev"]["name"] != fields["dev_branch"] or not info["approved"]:
            raise Failure(f"the server did not accept the form {kind}: see server.log")
        return number

    def info(self, test):
        """The state of a test."""
        return self.user.json(f"/api/workload/{test}/info/")["info"]

    def errors(self):
        """What clients have reported as errors."""
        return [row["summary"] for row in self.query("SELECT summary FROM OpenBench_logevent WHERE machine_id > 0")]

    def results(self, test):
        """The results of a test by machine: the machine's name, the number of the result, games, pairs and errors."""
        rows = self.query(
            "SELECT r.*, m.info FROM OpenBench_result r JOIN OpenBench_machine m ON r.machine_id = m.id"
            " WHERE r.test_id = ? ORDER BY r.id",
            test,
        )
        return [{**row, "client": json.loads(row["info"])["machine_name"]} for row in map(dict, rows)]

    def games(self, test, client):
        """How many games of a test a client has reported."""
        return sum(row["games"] for row in self.results(test) if row["client"] == client)

    def archive(self, test, folder):
        """Downloads the games of a test. The server hands them out two minutes after the last client has left it."""

        def download():
            data = self.user.get(f"/api/pgns/{test}/")
            return None if data.startswith(b"{") else data

        path = folder / f"{test}.pgn.tar"
        path.write_bytes(wait(f"the games of test {test}", download, 600, 5))
        return path

    def stop(self):
        """Ends the server."""
        self.process.terminate()
        self.process.wait()


# The clients


class Client:
    """OpenBench's client, in a folder and a PID namespace of its own."""

    def __init__(self, options, name, address, environment):
        self.name = name
        self.folder = options.work / name
        self.log = options.work / f"{name}.log"
        self.environment = environment
        self.command = [*NAMESPACE, options.python, "client.py", "-U", USER, "-P", PASSWORD, "-S", address]
        self.command += ["-T", "2", "-N", "1", "-I", name]
        git(".", "clone", "--quiet", options.openbench, str(self.folder))
        engines = options.engines / name
        if engines.exists():
            shutil.copytree(engines, self.folder / "Client" / "Engines")
        # The client sets the permissions, therefore a copy.
        shutil.copy(options.runner, self.folder / "Client" / "fastchess-ob")
        self.start()

    def start(self):
        """Starts it."""
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self.command, cwd=self.folder / "Client", env=self.environment, stdout=log, stderr=log
            )

    def exceptions(self):
        """The exceptions in its log."""
        text = self.log.read_text(errors="replace")
        return set(re.findall(r"^(?:\w+\.)*(\w*(?:Error|Exception))(?=:|$)", text, re.M))

    def kill(self):
        """Kills it with all its processes: the kernel kills a PID namespace with its first process."""
        self.process.kill()
        self.process.wait()

    def ask_to_leave(self):
        """Asks it to end."""
        (self.folder / "Client" / "openbench.exit").touch()

    def has_left(self):
        """Whether it ends; kills it if it does not."""
        try:
            self.process.wait(150)
            return True
        except subprocess.TimeoutExpired:
            self.kill()
            return False


# The games


Game = collections.namedtuple("Game", "number result tags moves")


def read_games(text, is_paired=True):
    """The complete games of a PGN file in the order of their end, numbered as in the lines of the match runner."""
    games = []
    for tags, moves in re.findall(r"((?:\[.*\]\n)+)\n((?:[^\[\n].*(?:\n|$))+)", text):
        tags = dict(re.findall(r'^\[(\w+) "(.*)"\]$', tags, re.M))
        if moves.split()[-1] != tags["Result"]:
            continue
        number = int(tags["Round"])
        if is_paired:
            number = 2 * number - tags["White"].endswith("-dev")
        games.append(Game(number, tags["Result"], tags, moves))
    return games


def pairs(games):
    """The pairs (2n - 1, 2n) in the order in which they are complete: the client reports pairs."""
    known = {}
    for game in games:
        known[game.number] = game
        other = known.get(game.number + (1 if game.number % 2 else -1))
        if other:
            yield tuple(sorted((game, other), key=lambda one: one.number))


def half_points(pair):
    """The half points of the new engine in both games, as OpenBench counts them: it has White in the first one."""
    points = {"1-0": 2, "1/2-1/2": 1, "0-1": 0}
    return points[pair[0].result], 2 - points[pair[1].result]


def pentanomial(found):
    """The pairs by half points."""
    counts = collections.Counter(sum(half_points(pair)) for pair in found)
    return [counts[points] for points in range(5)]


def trinomial(found):
    """Losses, draws and wins."""
    counts = collections.Counter(points for pair in found for points in half_points(pair))
    return [counts[points] for points in range(3)]


def game_files(options, row):
    """The files that a client's match runners wrote for a test, in the order of time."""
    files = (options.work / row["client"] / "Client" / "PGNs").glob(f"{row['test_id']}.{row['id']}.*.pgn")
    return sorted(files, key=lambda path: int(path.name.split(".")[2]))


def compare_results(options, checks, server, test, what, is_paired=True):
    """Compares the results of each client with its games, and returns the pairs that count.

    A client reports twice a minute. What ended after its last report, or after the end of the test, does not count.
    """
    counted = []
    for row in server.results(test):
        files = game_files(options, row)
        found = [pair for path in files for pair in pairs(read_games(path.read_text(), is_paired))]
        total, found = len(found), found[: row["games"] // 2]
        reported = [row[name] for name in ("LL", "LD", "DD", "DW", "WW")]
        title = f"{what}: result {row['id']}, {row['client']}, {len(found)} of {total} pairs"
        checks.equal(title, reported, pentanomial(found))
        counted += found
    info = server.info(test)
    checks.equal(f"{what}: pentanomial", list(info["penta"]), pentanomial(counted))
    checks.equal(f"{what}: losses, draws, wins", list(info["tri"]), trinomial(counted))
    faults = sum(row["crashes"] + row["timeloss"] for row in server.results(test))
    checks.add(f"{what}: crashes, illegal moves, losses on time", faults, faults == 0 and not info["error"])
    return counted


def evaluate(options, found, engine):
    """What `agoge-bench match` computes from pairs: it resumes a match that is complete, and plays no game."""
    folder = options.work / "evaluation"
    folder.mkdir()
    nodes = PLAY["both_time_control"].replace("N=", "nodes=")
    openings, games = [], []
    for number, pair in enumerate(found, 1):
        openings.append(pair[0].tags["FEN"])
        for part, game in enumerate(pair, 1):
            tags = {**game.tags, "Round": f"{number}.{part}", "TimeControl": nodes}
            games.append("".join(f'[{name} "{value}"]\n' for name, value in tags.items()) + "\n" + game.moves + "\n")
    (folder / "openings.epd").write_text("\n".join(openings) + "\n")
    (folder / "games.pgn").write_text("".join(games))
    command = [options.runner, "match", "--quiet", "--resume", "--pgn", "games.pgn", "--json", "match.json"]
    for side in ("dev", "base"):
        command += ["--engine", f"cmd={engine}", f"name={ENGINE}-{side}", nodes]
    command += ["--openings", "openings.epd", "--order", "sequential", "--games", str(2 * len(found))]
    command += ["--sprt", f"elo0={SPRT_BOUNDS[0]:g}", f"elo1={SPRT_BOUNDS[1]:g}", "--sprt-scale", "normalised"]
    with open(folder / "match.log", "wb") as log:
        subprocess.run(command, cwd=folder, stdout=log, stderr=log)
    if not (folder / "match.json").exists():
        raise Failure(f"match did not read the games: see {folder}/match.log")
    return json.loads((folder / "match.json").read_text())


def archived_games(path):
    """The number of games in each file of a server's archive, by the number of the result."""
    counts = collections.Counter()
    with tarfile.open(path) as archive:
        for member in archive:
            text = bz2.decompress(archive.extractfile(member).read()).decode()
            counts[int(member.name.split(".")[1])] += text.count("[Event ")
    return counts


# The tests


def run_warm_up(server, clients, bench):
    """Runs a test of fixed length until both clients have played, so that the SPRT does not wait for a compiler."""
    test = server.create(
        "test",
        "STC",
        dev_branch="main",
        base_branch="weaker",
        dev_bench=bench,
        test_mode="GAMES",
        priority=40,
        test_max_games=100000,
        workload_size=4,
        **PLAY,
    )
    step(f"test {test}: fixed games, until both clients have built the engines")
    watch(server, clients, "games of both clients", lambda: all(server.games(test, each.name) for each in clients))
    return test


def watch(server, clients, what, condition):
    """Waits for `condition` while the clients work."""

    def checked():
        for client in clients:
            if client.process.poll() is not None:
                raise Failure(f"{client.name} ended: see {client.log}")
        if errors := server.errors():
            raise Failure(f"a client reports: {', '.join(errors)}")
        return condition()

    return wait(what, checked)


def interrupt_sprt(server, clients, test, checks):
    """Kills one client in the middle of the SPRT, and starts it again."""
    stays, victim = clients

    def both_reported():
        if server.info(test)["finished"]:
            raise Failure("the SPRT ended before a client could be killed")
        return server.games(test, stays.name) and server.games(test, victim.name) >= KILL_AFTER

    watch(server, clients, "reports of both clients", both_reported)
    victim.kill()
    reported = [server.games(test, client.name) for client in clients]
    step(f"killed {victim.name}, which had reported {reported[1]} games")
    watch(server, [stays], "the other client", lambda: server.games(test, stays.name) > reported[0])
    again = server.info(test)
    checks.add(
        f"SPRT: {victim.name} killed after {reported[1]} games, the test went on",
        f"{again['games']} games",
        again["games"] > sum(reported) and server.games(test, victim.name) == reported[1],
    )
    victim.start()
    step(f"started {victim.name} again at {again['games']} games")


def check_sprt(options, server, test, checks, engine):
    """Compares the server's verdict and Elo with those of `match`."""
    info = server.info(test)
    checks.add("SPRT: verdict", f"LLR {info['currentllr']:.2f}, passed {info['passed']}", info["passed"])
    found = compare_results(options, checks, server, test, "SPRT")
    report = evaluate(options, found, engine)
    ours = report["engines"][0]
    checks.equal("SPRT: pentanomial of match", list(info["penta"]), ours["pentanomial"])
    (row,) = server.user.json(f"/api/workload/{test}/summary/")["summary"]["user"]
    elo, error = map(float, row["elo"].split(" ± "))
    ours_elo = ours["estimate"]["elo"]
    checks.equal("SPRT: Elo", f"{elo:.2f}", f"{ours_elo['value']:.2f}")
    # The server takes Student's distribution and the variance of the sample, which differ little for this many pairs.
    ours_error = (ours_elo["high"] - ours_elo["low"]) / 2
    close = abs(error - ours_error) <= 0.02 * error
    checks.add("SPRT: error of Elo, within 2 %", f"server {error:.2f}, from the games {ours_error:.2f}", close)
    llr = report["sprt"]["llr"]
    close = abs(info["currentllr"] - llr) <= 0.01
    checks.add("SPRT: LLR, within 0.01", f"server {info['currentllr']:.3f}, from the games {llr:.3f}", close)
    checks.add("SPRT: verdict of match", report["sprt"]["verdict"], report["exit_status"] == 0)
    # A client uploads the games of a workload at its end: those of the killed one are missing.
    archived = archived_games(server.archive(test, options.work))
    rows = server.results(test)
    killed = next(row["id"] for row in rows if row["client"] == CLIENTS[1])
    for row in rows:
        written = [len(read_games(path.read_text())) for path in game_files(options, row)]
        uploaded = written[:-1] if row["id"] == killed else written
        checks.equal(f"SPRT: archived games of result {row['id']}", archived[row["id"]], sum(uploaded))


def check_tune(options, server, test, checks, inputs):
    """Compares results, and shows the tuned values."""
    info = server.info(test)
    planned = 2 * SPSA["spsa_iterations"] * SPSA["spsa_pairs_per"]
    checks.add("SPSA: games", f"{info['games']} of {planned}", info["finished"] and info["games"] >= planned)
    compare_results(options, checks, server, test, "SPSA")
    digest = [line.split(",") for line in server.user.get(f"/api/spsa/{test}/digest/").decode().splitlines()[1:]]
    names = [line.split(",")[0] for line in inputs.splitlines()]
    values = ", ".join(f"{row[0]} {row[2]} -> {row[1]}" for row in digest)
    moved = [row[0] for row in digest if float(row[1]) != float(row[2])]
    checks.add("SPSA: values", values, [row[0] for row in digest] == names and moved)


def check_datagen(options, server, test, checks, engine):
    """Imports the games, and trains a network on them."""
    info = server.info(test)
    checks.add(
        "data: games", f"{info['games']} of {DATAGEN_GAMES}", info["finished"] and info["games"] >= DATAGEN_GAMES
    )
    compare_results(options, checks, server, test, "data", is_paired=False)
    archive = server.archive(test, options.work)
    written = sum(archived_games(archive).values())

    def run(*arguments):
        command = [options.runner, *map(str, arguments)]
        result = subprocess.run(command, cwd=options.work, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        output = result.stdout.strip().splitlines()
        if result.returncode != 0:
            raise Failure(f"{' '.join(map(str, command))}: {result.stderr.strip()}")
        return output

    imported = run("datagen", "import", "--out", "games.bin", archive)[-1]
    kept = int(imported.split()[0])
    dropped = sum(map(int, re.findall(r"\d+", imported.split("dropped:")[1])))
    checks.add(f"data: import of {written} games", imported, kept + dropped == written and dropped <= written // 100)
    verified = run("datagen", "verify", "games.bin")[-1]
    checks.add("data: verify", verified, f"{kept} games" in verified)
    trained = run("train", "games.bin", "--out", "net", "--name", "tiny", "--epochs", "1", "--batch", "256")
    losses = [float(text) for text in re.findall(r"loss in \w+ ([0-9.]+), quantised ([0-9.]+)", trained[-1])[0]]
    checks.add("data: network", trained[-1], all(0 < loss < 0.25 for loss in losses))
    command = f"setoption name EvalFile value {options.work}/net/tiny.nnue\nposition startpos\ngo nodes 1000\nquit\n"
    answer = subprocess.run([engine], input=command, stdout=subprocess.PIPE, text=True).stdout
    last = answer.splitlines()[-1]
    checks.add("data: the engine plays with it", last, last.startswith("bestmove ") and "error" not in answer)


def check_software(server, clients, site, checks):
    """Shows that OpenBench is unmodified and met no errors."""
    changed = git(server.folder, "status", "--porcelain", "--untracked-files=no").decode().split("\n")
    changed = [line[3:] for line in changed if line]
    checks.add("server: files changed", ", ".join(changed), changed == ["Config/config.json"])
    for client in clients:
        changed = git(client.folder, "status", "--porcelain", "--untracked-files=no").decode().strip()
        checks.add(f"{client.name}: files changed", changed or "none", not changed)
        # The client cannot bear that a test ends before the first game of a workload does.
        exceptions = client.exceptions()
        checks.add(
            f"{client.name}: exceptions",
            ", ".join(exceptions) or "none",
            exceptions <= {"OpenBenchMisssingPGNException"},
        )
        warnings = client.log.read_text(errors="replace").count("Warning")
        checks.add(f"{client.name}: warnings of the match runner", warnings, warnings == 0)
    checks.add("server: errors reported by clients", ", ".join(server.errors()) or "none", not server.errors())
    checks.add("GitHub: addresses asked for", len(site.answered), site.answered)
    checks.add("GitHub: addresses refused", ", ".join(site.refused) or "none", not site.refused)


def rehearse(options, checks, ends):
    """Runs everything. Adds to the table, and what ends the processes to `ends`."""
    source = Source(options)
    source.make_weaker()
    inputs = source.make_tune()
    # The clients' Cargo must not ask the network.
    subprocess.run(["cargo", "fetch", "--quiet", "--locked"], cwd=source.path, check=True)

    certificate, key = str(options.work / "certificate.pem"), str(options.work / "key.pem")
    make_certificate(certificate, key)
    book = json.loads(source.file(f"bench/openbench/{BOOK}.json"))["source"].replace("OWNER", OWNER)
    downloads = {urllib.parse.urlparse(book).path: zip_file(BOOK, source.file("positions/openings.epd"))}
    site = StandIn(source.path, OWNER, "agoge", downloads, certificate, key)
    environment = {
        **os.environ,
        "REQUESTS_CA_BUNDLE": certificate,
        "PYTHONUNBUFFERED": "1",
        "CARGO_NET_OFFLINE": "true",
    }
    for name, value in (("https_proxy", site.url), ("no_proxy", "127.0.0.1,localhost")):
        environment.update({name: value, name.upper(): value})
    environment["CARGO_TARGET_DIR"] = str(source.target)

    server = Server(options, source, environment, ends)
    step(f"the server answers at {server.address}")
    clients = []
    for name in CLIENTS:
        clients.append(Client(options, name, server.address, environment))
        ends.callback(clients[-1].kill)

    warm_up = run_warm_up(server, clients, source.bench)
    # The clients go on with the test of the highest priority.
    sprt = server.create(
        "test",
        "STC",
        dev_branch="main",
        base_branch="weaker",
        dev_bench=source.bench,
        workload_size=32,
        priority=30,
        test_bounds="[{:.2f}, {:.2f}]".format(*SPRT_BOUNDS),
        upload_pgns="COMPACT",
        **PLAY,
    )
    tune = server.create(
        "tune",
        "tune",
        dev_branch="tune",
        priority=20,
        spsa_inputs=inputs.replace("\n", "\r\n"),
        **SPSA,
        **{name.replace("both", "dev"): value for name, value in PLAY.items()},
    )
    data = server.create(
        "datagen",
        "datagen",
        dev_branch="main",
        base_branch="main",
        dev_bench=source.bench,
        base_bench=source.bench,
        priority=10,
        workload_size=16,
        datagen_max_games=DATAGEN_GAMES,
        **PLAY,
    )
    server.user.get(f"/test/{warm_up}/STOP/")
    step(f"test {sprt}: SPRT for normalised Elo {SPRT_BOUNDS}")
    interrupt_sprt(server, clients, sprt, checks)
    for test in (sprt, tune, data):
        watch(server, clients, f"test {test}", lambda test=test: server.info(test)["finished"])
        step(f"test {test} has ended after {server.info(test)['games']} games")
    for client in clients:
        client.ask_to_leave()
    for client in clients:
        checks.add(f"{client.name}: left when asked", client.log.name, client.has_left())

    step("comparing the results; the server hands out games two minutes after the clients have left")
    engine = next((clients[0].folder / "Client" / "Engines").glob(f"{ENGINE}-{source.main[:8].upper()}"))
    compare_results(options, checks, server, warm_up, "warm-up")
    check_sprt(options, server, sprt, checks, engine)
    check_tune(options, server, tune, checks, inputs)
    check_datagen(options, server, data, checks, engine)
    check_software(server, clients, site, checks)


def prepare(options):
    """Checks what is needed, and empties the folder of an earlier run."""
    for program in ("git", "make", "cargo", "openssl", "unshare"):
        if not shutil.which(program):
            raise Failure(f"{program} is missing")
    if subprocess.run([*NAMESPACE, "true"]).returncode != 0:
        raise Failure("unshare cannot make a PID namespace: does this machine allow user namespaces?")
    for path in (options.runner, options.python):
        if not os.access(path, os.X_OK):
            raise Failure(f"{path} is not a program")
    if options.reuse and not options.engines.exists():
        raise Failure(f"{options.folder} has no engines of an earlier run")
    if options.folder.exists() and not options.reuse:
        raise Failure(f"{options.folder} exists already: take another folder, or --reuse its engines")
    for client in CLIENTS:
        built = options.work / client / "Client" / "Engines"
        if built.exists():
            shutil.copytree(built, options.engines / client, dirs_exist_ok=True)
    if options.work.exists():
        shutil.rmtree(options.work)
    options.engines.mkdir(parents=True, exist_ok=True)
    options.work.mkdir()


def main():
    """Runs everything and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    here = Path(__file__).resolve().parents[2]
    parser.add_argument("--openbench", required=True, help="a checkout of OpenBench; it is cloned")
    parser.add_argument("--python", help="Python with the packages of server and client (OPENBENCH/venv/bin/python)")
    parser.add_argument("--runner", required=True, help="agoge-bench, which the clients call fastchess-ob")
    parser.add_argument("--repository", default=str(here), help="the repository of Agoge (the one of this script)")
    parser.add_argument("--revision", default="HEAD", help="the commit to test (HEAD)")
    parser.add_argument("--work", dest="folder", required=True, type=Path, help="a new folder for all that is made")
    parser.add_argument(
        "--reuse", action="store_true", help="keep the engines that an earlier run built in this folder"
    )
    options = parser.parse_args()
    options.python = str(Path(options.python or Path(options.openbench) / "venv/bin/python").absolute())
    options.openbench, options.runner, options.repository = (
        str(Path(path).resolve()) for path in (options.openbench, options.runner, options.repository)
    )
    options.folder = options.folder.absolute()
    # Only the last one is emptied by another run.
    options.engines, options.target, options.work = (options.folder / name for name in ("engines", "target", "run"))

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    checks, failure = Checks(), None
    try:
        with contextlib.ExitStack() as ends:
            prepare(options)
            rehearse(options, checks, ends)
    except (Failure, subprocess.CalledProcessError) as error:
        failure = error
    right = checks.print()
    if failure:
        sys.exit(f"{parser.prog}: {failure}")
    sys.exit(0 if right else 1)


if __name__ == "__main__":
    main()
