// Loaded by `npm start`. npm sends SIGTERM to the shell between npm and the server, and not every shell passes it on: the
// server would go on without them.

const parent = process.ppid;

const watch = setInterval(() => {
  if (process.ppid === parent) return;
  clearInterval(watch);
  process.kill(process.pid, "SIGTERM");
}, 100).unref();
