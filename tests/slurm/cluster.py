#!/usr/bin/env python3
"""A Slurm cluster of virtual nodes n1..n4 on this machine, for tests.

Everything is private: its folder, its ports, its munge key. No systemd, no accounting database; it
needs root, because slurmd starts jobs as their users.

A keeper process stands between a test and the daemons: it starts them, and it is the subreaper of
whatever they start (slurmstepd and the jobs leave their parents). When the pipe to the test ends,
however the test ended, the keeper kills all of it by process id. So nothing outlives a test, not
even one that was killed.

    cluster.py COMMAND...    starts a cluster, runs the command in it, and stops the cluster
"""

import ctypes
import json
import os
import random
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

# needs: munged, slurmctld, slurmd, sbatch, srun, squeue, scontrol, scancel, sinfo
DAEMONS = ("munged", "slurmctld", "slurmd")
CLIENTS = ("sbatch", "srun", "squeue", "scontrol", "scancel", "sinfo")
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
NODES = ("n1", "n2", "n3", "n4")
CPUS = 2  # a node


def find(program):
    """Daemons are in sbin, which is not in everybody's PATH."""
    return shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")


def why_not():
    """Why there can be no cluster here; empty when there can be one."""
    missing = [p for p in DAEMONS + CLIENTS if not find(p)]
    if missing:
        return f"no {', '.join(missing)} here: scripts/setup test installs slurm-wlm and munge"
    if os.geteuid() != 0:
        return "slurmd needs root"
    return ""


def prctl(option, value):
    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


# --- The keeper: a process of its own ---

def children_of(parent):
    """Ids of the processes whose parent this is."""
    found = []
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/stat") as stat:
                if int(stat.read().rpartition(")")[2].split()[1]) == parent:
                    found.append(int(name))
        except (ValueError, OSError, IndexError):
            continue  # no process, or gone meanwhile
    return found


def descendants_of(parent):
    found = []
    for child in children_of(parent):
        found += [child, *descendants_of(child)]
    return found


def open_files(process):
    try:
        folder = f"/proc/{process}/fd"
        return [os.readlink(os.path.join(folder, name)) for name in os.listdir(folder)]
    except OSError:  # it ended meanwhile
        return []


def kill(process):
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Keeper:
    """Reads one JSON list a line, the name of a method and its arguments: ["term", "slurmctld"].
    Answers each with a JSON value."""

    def __init__(self, folder):
        self.folder = folder
        self.daemons = {}

    def start(self, name, *words):
        log = open(os.path.join(self.folder, "log", f"{name}.out"), "ab")
        self.daemons[name] = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            start_new_session=True, preexec_fn=lambda: prctl(PR_SET_PDEATHSIG, signal.SIGKILL))
        log.close()
        return self.daemons[name].pid

    def end(self, name, number):
        daemon = self.daemons.pop(name)
        daemon.send_signal(number)
        return daemon.wait()

    def term(self, name):
        return self.end(name, signal.SIGTERM)

    def kill_node(self, name):
        """The daemon and the steps and jobs that it started, as a node that loses its power."""
        log = os.path.join(self.folder, "log", f"slurmd.{name}.log")
        # A step has its node's log open; its environment is overwritten by its title.
        steps = [child for child in children_of(os.getpid()) if log in open_files(child)]
        for process in [p for step in steps for p in [step, *descendants_of(step)]]:
            kill(process)
        return self.end(name, signal.SIGKILL)

    def running(self, name):
        return name in self.daemons and self.daemons[name].poll() is None

    def stop_all(self):
        """Repeated, because what is killed may have started something a moment before."""
        while processes := descendants_of(os.getpid()):
            for process in processes:
                kill(process)
            try:
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            except ChildProcessError:
                return
            time.sleep(0.01)

    def keep(self):
        prctl(PR_SET_CHILD_SUBREAPER, 1)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)  # the pipe's end is what ends it
        try:
            for line in sys.stdin:
                action, *words = json.loads(line)
                try:
                    answer = getattr(self, action)(*words)
                except Exception as error:  # the test is told, and decides
                    answer = {"error": repr(error)}
                print(json.dumps(answer), flush=True)
        finally:
            self.stop_all()
            shutil.rmtree(self.folder, ignore_errors=True)


# --- The cluster, as a test sees it ---

def free_ports(count):
    """Below the range that the kernel gives to outgoing connections."""
    sockets, ports = [], []
    while len(ports) < count:
        port = random.randrange(20000, 32000)
        taken = socket.socket()
        sockets.append(taken)
        try:
            taken.bind(("127.0.0.1", port))
            ports.append(port)
        except OSError:
            continue
    for each in sockets:
        each.close()
    return ports


class Cluster:
    """with Cluster() as cluster: ... subprocess.run([...], env=cluster.environment())"""

    def __init__(self, **settings):
        self.settings = settings  # lines of slurm.conf that are added or changed
        self.keeper = None

    def __enter__(self):
        for attempt in range(3):  # a port may be taken between the look and the use
            try:
                self.start()
                return self
            except unittest.SkipTest:
                self.stop()
                raise
            except Exception:
                self.stop()
                if attempt == 2:
                    raise
        return self

    def __exit__(self, *reason):
        self.stop()

    # --- Start and stop ---

    def start(self):
        self.folder = tempfile.mkdtemp(prefix="kstar-slurm-")
        os.chmod(self.folder, 0o755)
        for name in ("munge", "mrun", "state", "log"):
            os.mkdir(os.path.join(self.folder, name))
        os.chmod(os.path.join(self.folder, "munge"), 0o700)
        for node in NODES:
            os.makedirs(os.path.join(self.folder, "spool", node))
            os.makedirs(os.path.join(self.folder, "tmp", node))
        self.keeper = subprocess.Popen(
            [sys.executable, os.path.abspath(__file__), "--keep", self.folder], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        self.start_munge()
        self.write_conf()
        self.start_controller()
        for node in NODES:
            self.start_node(node)
        self.wait_until(self.nodes_are_idle, 45,
                        lambda: "the nodes are not idle:\n" + self.words("sinfo", "-N"))

    def nodes_are_idle(self):
        """Where a daemon says that it cannot run on this machine (no cgroups in a bare chroot),
        there is nothing to test with."""
        for node in NODES:
            try:
                fatal = [line for line in self.log(f"slurmd.{node}.log").splitlines() if "fatal:" in line]
            except FileNotFoundError:
                fatal = []
            if fatal:
                raise unittest.SkipTest(f"slurmd cannot run here: {fatal[0]}")
        return all(self.node_state(n) == "IDLE" for n in NODES)

    def stop(self):
        """Also after a start that failed half way."""
        if self.keeper is None:
            return
        keeper, self.keeper = self.keeper, None
        keeper.stdin.close()
        keeper.wait(timeout=60)
        keeper.stdout.close()

    def ask(self, *request):
        self.keeper.stdin.write(json.dumps(request) + "\n")
        self.keeper.stdin.flush()
        answer = json.loads(self.keeper.stdout.readline() or '{"error": "the keeper is gone"}')
        if isinstance(answer, dict):
            raise RuntimeError(f"{request}: {answer['error']}")
        return answer

    def start_munge(self):
        munge = os.path.join(self.folder, "munge")
        with open(os.path.join(munge, "key"), "wb") as key:
            os.fchmod(key.fileno(), 0o400)
            key.write(os.urandom(1024))
        sock = os.path.join(self.folder, "mrun", "munge.sock")
        self.ask("start", "munged", find("munged"), "--foreground", "--force", "--num-threads=2",
                 f"--key-file={munge}/key", f"--socket={sock}", f"--pid-file={munge}/pid",
                 f"--log-file={munge}/log", f"--seed-file={munge}/seed")
        self.wait_until(lambda: os.path.exists(sock), 10, lambda: "munged has no socket")

    def write_conf(self):
        controller_port, *ports = free_ports(1 + len(NODES))
        host, folder = socket.gethostname().split(".")[0], self.folder
        settings = {
            "ClusterName": "kstar", "SlurmctldHost": f"{host}(127.0.0.1)",
            "SlurmctldPort": controller_port, "SlurmUser": "root", "SlurmdUser": "root",
            "AuthType": "auth/munge", "AuthInfo": f"socket={folder}/mrun/munge.sock",
            "StateSaveLocation": f"{folder}/state", "SlurmdSpoolDir": f"{folder}/spool/%n",
            "SlurmctldPidFile": f"{folder}/slurmctld.pid",
            "SlurmdPidFile": f"{folder}/slurmd.%n.pid",
            "SlurmctldLogFile": f"{folder}/log/slurmctld.log",
            "SlurmdLogFile": f"{folder}/log/slurmd.%n.log",
            "TmpFS": f"{folder}/tmp/%n", "ProctrackType": "proctrack/linuxproc",
            "TaskPlugin": "task/none", "MpiDefault": "none", "SwitchType": "switch/none",
            "SelectType": "select/cons_tres", "SelectTypeParameters": "CR_CPU",
            "SchedulerType": "sched/backfill", "SchedulerParameters": "bf_interval=1",
            "JobAcctGatherType": "jobacct_gather/none",
            "AccountingStorageType": "accounting_storage/none", "ReturnToService": 2,
            "SlurmdParameters": "config_overrides",  # more virtual cores than there are real ones
            "KillWait": 2, "SlurmdTimeout": 300,
        }
        settings.update(self.settings)
        lines = [f"{key}={value}" for key, value in settings.items()]
        for node, port in zip(NODES, ports):
            lines.append(f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} "
                         f"CPUs={CPUS} RealMemory=1000 State=UNKNOWN")
        lines.append("PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP "
                     "OverSubscribe=NO")
        self.conf = os.path.join(folder, "slurm.conf")
        with open(self.conf, "w") as conf:
            conf.write("\n".join(lines) + "\n")

    def start_controller(self):
        self.ask("start", "slurmctld", find("slurmctld"), "-D", "-f", self.conf)

        def answers():
            if not self.ask("running", "slurmctld"):
                raise RuntimeError("slurmctld ended:\n" + self.log("slurmctld.out"))
            return self.run("scontrol", "ping").returncode == 0
        self.wait_until(answers, 30, lambda: "slurmctld does not answer")

    def stop_controller(self):
        self.ask("term", "slurmctld")

    def restart_controller(self):
        self.stop_controller()
        self.start_controller()

    # --- Nodes ---

    def start_node(self, node):
        self.ask("start", node, find("slurmd"), "-D", "-f", self.conf, "-N", node)

    def kill_node(self, node):
        """Its slurmd and what runs on it, at once; the controller is told that it is down."""
        self.ask("kill_node", node)
        self.words("scontrol", "update", f"nodename={node}", "state=down", "reason=killed")

    def drain(self, node):
        self.words("scontrol", "update", f"nodename={node}", "state=drain", "reason=test")

    def resume(self, node):
        self.words("scontrol", "update", f"nodename={node}", "state=resume")

    def node_state(self, node):
        shown = self.run("sinfo", "-h", "-N", "-n", node, "-o", "%T").stdout.split()
        return shown[0].upper() if shown else "UNKNOWN"

    # --- Asking ---

    def environment(self, **changes):
        env = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM", "SBATCH"))}
        env.update(changes, SLURM_CONF=self.conf)
        return env

    def run(self, *words):
        return subprocess.run(words, env=self.environment(), stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)

    def words(self, *words):
        done = self.run(*words)
        if done.returncode != 0:
            raise RuntimeError(f"{shlex.join(words)}: {done.stdout}")
        return done.stdout

    def jobs(self, *options):
        """Ids of the jobs in the queue that are not over."""
        return self.words("squeue", "-h", "-o", "%i", *options).split()

    def log(self, name):
        with open(os.path.join(self.folder, "log", name), errors="replace") as log:
            return "".join(log.readlines()[-40:])

    @staticmethod
    def wait_until(condition, seconds, complaint):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError(complaint())
            time.sleep(0.05)


def main():
    if sys.argv[1:2] == ["--keep"]:
        Keeper(sys.argv[2]).keep()
        return 0
    if reason := why_not():
        print(f"cluster.py: {reason}", file=sys.stderr)
        return 77
    with Cluster() as cluster:
        return subprocess.run(sys.argv[1:], env=cluster.environment()).returncode


if __name__ == "__main__":
    sys.exit(main())
