/** What the contract overlooked in clients whose flush and close wait for calls that end only with the service's answer. */

import type { PlantedDefect } from "./queueing-defects.ts";

const inClient = { file: "../test/testing/defects/direct-client.ts" };

export const directDefects: readonly PlantedDefect[] = [
  {
    ...inClient,
    says: "flushes without waiting for the calls under way",
    cause: "undelivered events",
    breaks: "flush-delivers",
    find: "    await Promise.allSettled([...this.#events]);\n",
    replace: "",
  },
  {
    ...inClient,
    says: "waits only for views when it is flushed",
    cause: "undelivered events",
    breaks: "flush-delivers",
    find: "    return this.#waitedFor(\n      this.#answerTo(recording(",
    replace: "    return ((click: Promise<unknown>) => click)(\n      this.#answerTo(recording(",
  },
  {
    ...inClient,
    says: "ends a second flush with the first, without the events since then",
    cause: "undelivered events",
    breaks: "flush-delivers",
    find: "    await Promise.allSettled([...this.#events]);\n",
    replace:
      "    const flushing = (this as any).flushing ?? Promise.allSettled([...this.#events]);\n    (this as any).flushing = flushing;\n    await flushing;\n    (this as any).flushing = undefined;\n",
  },
  {
    ...inClient,
    says: "hangs if it is flushed after it was closed",
    cause: "refused keys, closing",
    breaks: "flush-delivers",
    find: "  async flush(): Promise<void> {\n",
    replace:
      "  async flush(): Promise<void> {\n    if (this.#ended.signal.aborted) await new Promise(() => {});\n",
  },
  {
    ...inClient,
    says: "goes on with calls after it is closed",
    cause: "refused keys, closing",
    breaks: "close-loses-nothing",
    find: '    await this.flush();\n    this.#ended.abort(new Error("The client is closed."));\n',
    replace: "",
  },
  {
    ...inClient,
    says: "asks for new figures in the background after it is closed",
    cause: "refused keys, closing",
    breaks: "silent-after-close",
    find: '    return this.#answerTo(reporting("stats", values, isStatsAnswer(publisher_id)));\n',
    replace:
      '    const call = reporting("stats", values, isStatsAnswer(publisher_id));\n    const ask = () => void this.#transport.send(call, new AbortController().signal);\n    this.#context.timers.setTimeout(ask, 30_000).unref();\n    return this.#answerTo(call);\n',
  },
  {
    ...inClient,
    says: "goes on with the attempts of a query after it is closed",
    cause: "refused keys, closing",
    breaks: "silent-after-close",
    find: "    const { signal } = this.#ended;\n",
    replace:
      '    const { signal } = call.method === "GET" ? new AbortController() : this.#ended;\n',
  },
];
