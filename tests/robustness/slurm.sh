#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A Slurm of one node in the current folder, for one command: starts munged, slurmctld and slurmd,
# runs the command, stops what it started. Needs root, as slurmd does.
#
#   slurm.sh FIRST_PORT COMMAND ...
set -euo pipefail
here="$PWD"
port=$1
shift
name="$(hostname -s)"
mkdir -p state spool
head -c 1024 /dev/urandom >munge.key
chmod 400 munge.key
cat >slurm.conf <<CONF
ClusterName=test
SlurmctldHost=$name(127.0.0.1)
SlurmUser=root
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
# A requeued job waits for its old credential to expire.
AuthInfo=socket=$here/munge.socket,cred_expire=5
CryptoType=crypto/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
MailProg=/bin/true
KillWait=1
MinJobAge=300
SchedulerParameters=sched_min_interval=100000,batch_sched_delay=0
StateSaveLocation=$here/state
SlurmdSpoolDir=$here/spool
SlurmctldPidFile=$here/slurmctld.pid
SlurmdPidFile=$here/slurmd.pid
SlurmctldLogFile=$here/slurmctld.log
SlurmdLogFile=$here/slurmd.log
NodeName=$name NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF="$here/slurm.conf"
stop() {
  for daemon in slurmd slurmctld munged; do
    if [ -s "$here/$daemon.pid" ]; then kill "$(cat "$here/$daemon.pid")" 2>/dev/null || true; fi
  done
}
trap stop EXIT
munged --key-file="$here/munge.key" --socket="$here/munge.socket" --pid-file="$here/munged.pid" \
  --log-file="$here/munged.log" --seed-file="$here/munge.seed" --force >/dev/null 2>&1
slurmctld -f "$SLURM_CONF"
slurmd -f "$SLURM_CONF"
for ((i = 0; i < 120; i++)); do
  sinfo -h -o %T 2>/dev/null | grep -qx idle && break
  sleep 0.5
done
sinfo -h -o %T | grep -qx idle || { echo "slurm: the node does not become idle" >&2; exit 99; }
"$@"
