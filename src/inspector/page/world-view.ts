/** What can be done to a world by hand, a section for each kind of thing. */

import { html } from "htm/preact";
import { AssumptionsSection } from "./assumptions-section.ts";
import type { Clock } from "./contract.ts";
import { FaultsSection } from "./faults-section.ts";
import { Choose, Input } from "./fields.ts";
import type { ViewProps } from "./log.ts";
import { ActionButton, ActionForm, type Part, Tabs, useLoaded, Waiting } from "./parts.ts";
import { usePlace } from "./place.ts";
import { PublishersSection } from "./publishers-section.ts";
import { ScenariosSection } from "./scenarios-section.ts";
import { WorldsSection } from "./worlds-section.ts";

const sections = {
  clock: ["Clock", ClockSection],
  assumptions: ["Assumptions", AssumptionsSection],
  faults: ["Faults", FaultsSection],
  publishers: ["Publishers", PublishersSection],
  scenarios: ["Scenarios", ScenariosSection],
  worlds: ["Worlds", WorldsSection],
} as const;

export function WorldView(props: ViewProps): Part {
  const place = usePlace();
  const [chosen, [label, section]] = Object.entries(sections).find(
    ([id]) => id === place.section,
  ) ?? ["clock", sections.clock];
  return html`<div class="sheet">
    <${Tabs} name="section" label="What to change" chosen=${chosen}
      tabs=${Object.entries(sections)
        // A file has no player.
        .filter(([id]) => !(props.api.isRecorded && id === "scenarios"))
        .map(([id, [name]]) => [id, name])}>
      <h2 class="unseen">${label}</h2>
      <${section} ...${props} />
    </${Tabs}>
  </div>`;
}

const modes = [
  ["", "as it is"],
  ["frozen", "frozen: it stands still"],
  ["flowing", "flowing: it goes on from its time"],
  ["system", "system: the machine's time"],
] as const;

function ClockSection({ api, version }: ViewProps): Part {
  const clock = useLoaded(() => api.get<Clock>("clock"), [api, version]);
  const advance = async (by: string): Promise<void> => {
    await api.send("POST", "clock/advance", { by });
    clock.reload();
  };
  const set = async ({ now = "", mode = "" }): Promise<void> => {
    const change = { ...(now === "" ? {} : { now }), ...(mode === "" ? {} : { mode }) };
    await api.send("PUT", "clock", change);
    clock.reload();
  };
  return html`<${Waiting} loaded=${clock} />
    <p class="big">${clock.value?.now} <span class="quiet">${clock.value?.mode}</span></p>
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
    </section>`;
}
