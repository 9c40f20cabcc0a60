import { type ChildProcess, spawn } from 'node:child_process';

/** What to kill, as `kill` takes it: a process by its id, a group of processes by its leader's id with a minus. */
const targets = new Set<number>();
let tell: ((line: string) => void) | undefined;

function killAll(): void {
  for (const target of targets) killNow(target);
}

function killNow(target: number): void {
  try {
    process.kill(target, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

function onSignal(signal: NodeJS.Signals): void {
  killAll();
  // Node ends a process on a signal only if the signal has no listener. If this is the only listener, Ctrl-C would do nothing
  // without what follows. If there are others (Vitest, the command line), they decide how to end.
  if (process.listenerCount(signal) > 1) return;
  process.removeListener(signal, onSignal);
  process.kill(process.pid, signal);
}

/** Reads `+pid` and `-pid`. When its input ends, because this process did, it kills what is left. */
const watchmanScript = `
while read -r line; do
  case "$line" in
    +*) pids="$pids \${line#+}" ;;
    -*) kept=; for pid in $pids; do [ "$pid" = "\${line#-}" ] || kept="$kept $pid"; done; pids="$kept" ;;
  esac
done
for pid in $pids; do kill -s KILL -- "$pid" 2>/dev/null; done`;

/**
 * Starts a watchman that outlives this process. After a SIGKILL this process can kill nothing: DynamoDB Local would run on, and
 * a frozen sandbox would stay for ever, because it cannot notice that its parent is gone.
 */
function hireWatchman(): (line: string) => void {
  const watchman = spawn('/bin/sh', ['-c', watchmanScript], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  watchman.on('error', () => undefined);
  watchman.stdin.on('error', () => undefined);
  watchman.unref();
  if ('unref' in watchman.stdin && typeof watchman.stdin.unref === 'function') watchman.stdin.unref();
  return (line) => watchman.stdin.write(`${line}\n`);
}

function watch(): (line: string) => void {
  if (tell !== undefined) return tell;
  // Before the folders are removed into which a child may be writing.
  process.prependListener('exit', killAll);
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  process.on('SIGHUP', onSignal);
  tell = hireWatchman();
  return tell;
}

/**
 * Ties a child process to the life of this one: it is killed when this process exits, throws, or is killed.
 *
 * With SIGKILL, because a sandbox that was frozen with SIGSTOP keeps SIGTERM pending for ever and would outlive this process.
 */
export function killWithUs<Child extends ChildProcess>(child: Child): Child {
  if (child.pid !== undefined) tie(child, child.pid);
  return child;
}

/**
 * The same for a child and everything that it starts. It has to lead a group of its own: `spawn(…, { detached: true })`.
 *
 * Returns a function that ends the group, which outlives its leader. Calling that again does nothing.
 */
export function killGroupWithUs(child: ChildProcess): () => void {
  const { pid } = child;
  if (pid === undefined) return () => undefined;
  const say = tie(child, -pid);
  const end = () => {
    killNow(-pid);
    targets.delete(-pid);
    say(`-${-pid}`);
  };
  child.once('exit', end);
  return end;
}

function tie(child: ChildProcess, target: number): (line: string) => void {
  const say = watch();
  targets.add(target);
  say(`+${target}`);
  child.once('exit', () => {
    targets.delete(target);
    say(`-${target}`);
  });
  return say;
}
