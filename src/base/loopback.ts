/** Recognises host names that can only be this machine, whatever a DNS server says. */

/** Whether a host is this machine. `host` is written as in a URL or a Host header, without a port. */
export function isLoopbackHost(host: string): boolean {
  // A dot at the end marks a fully qualified name.
  const name = host.toLowerCase().replace(/\.$/, "");
  return (
    name === "localhost" ||
    /^[a-z0-9._-]+\.localhost$/.test(name) ||
    /^127(\.\d{1,3}){3}$/.test(name) ||
    /^\[[0:]*:0*1\]$/.test(name)
  );
}
