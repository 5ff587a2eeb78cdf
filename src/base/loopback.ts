/** Hosts that can only be this machine: no DNS server decides what they stand for. */

/** Whether a host, as it stands in a URL or a Host header without its port, is this machine. */
export function isLoopbackHost(host: string): boolean {
  // A dot at the end says that the name is complete.
  const name = host.toLowerCase().replace(/\.$/, "");
  return (
    name === "localhost" ||
    /^[a-z0-9._-]+\.localhost$/.test(name) ||
    /^127(\.\d{1,3}){3}$/.test(name) ||
    /^\[[0:]*:0*1\]$/.test(name)
  );
}
