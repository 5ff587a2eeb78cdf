/** The world's time: as it is, and how to move it. */

import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Api } from "./api.ts";
import type { Clock } from "./contract.ts";
import { Choose, durationIn, Input } from "./fields.ts";
import { type Loaded, useLoaded } from "./loading.ts";
import type { Log, ViewProps } from "./log.ts";
import { ActionButton, ActionForm, OnServer, type Part, Waiting } from "./parts.ts";

interface RunningClock {
  readonly loaded: Loaded<Clock>;
  /** In ISO 8601; empty until it is known. */
  readonly now: string;
  readonly mode: string;
}

/** A clock that moves is read on, second by second. */
export function useClock(api: Api, log: Log): RunningClock {
  const loaded: Loaded<Clock> = useLoaded(() => api.get<Clock>("clock"), [api], {
    version: log.clockVersion,
  });
  const [, tick] = useState(0);
  const readAt = useRef(0);
  const { value } = loaded;
  useEffect(() => {
    readAt.current = performance.now();
    const timer = setInterval(() => tick(performance.now()), 1000);
    return () => clearInterval(timer);
  }, [value]);
  if (value === undefined) return { loaded, now: "", mode: "" };
  const { mode, now } = value;
  if (mode === "frozen" || api.isRecorded) return { loaded, now, mode };
  const passed = performance.now() - readAt.current;
  return { loaded, now: new Date(Date.parse(now) + passed).toISOString(), mode };
}

const modes = [
  ["", "as it is"],
  ["frozen", "frozen: it stands still"],
  ["flowing", "flowing: it goes on from its time"],
  ["system", "system: the machine's time"],
] as const;

export function ClockSection({ api, log }: ViewProps): Part {
  const { loaded: clock, now: shown, mode: current } = useClock(api, log);
  const advance = async (by: string): Promise<void> => {
    await api.send("POST", "clock/advance", { by: durationIn(by) });
    clock.reload();
  };
  const set = async ({ now = "", mode = "" }): Promise<void> => {
    const change = { ...(now === "" ? {} : { now }), ...(mode === "" ? {} : { mode }) };
    await api.send("PUT", "clock", change);
    clock.reload();
  };
  return html`<${Waiting} loaded=${clock} />
    <p class="big">${shown} <span class="quiet">${current}</span></p>
    <${OnServer}>
    <section><h3>Advance</h3>
      <div class="buttons">
        ${["1m", "1h", "1d"].map(
          (by) => html`<${ActionButton} key=${by} label=${`+ ${by}`} act=${() => advance(by)} />`,
        )}
      </div>
      <${ActionForm} submit="Advance" act=${({ by = "" }) => advance(by)}>
        <${Input} label="By, such as 90s, 15m, 36h, 30d" name="by" value="15m" />
      </${ActionForm}>
    </section>
    <section><h3>Set</h3>
      <${ActionForm} submit="Set" act=${set}>
        <${Input} label="Time, in ISO 8601" name="now" placeholder=${clock.value?.now ?? ""} />
        <${Choose} label="Mode" name="mode" value="" options=${modes} />
      </${ActionForm}>
    </section>
    </${OnServer}>`;
}
