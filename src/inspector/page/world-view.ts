/** What can be done to a world by hand, a section for each kind of thing. */

import { html } from "htm/preact";
import { AssumptionsSection } from "./assumptions-section.ts";
import { ClockSection } from "./clock-section.ts";
import { FaultsSection } from "./faults-section.ts";
import type { ViewProps } from "./log.ts";
import { type Part, Tabs } from "./parts.ts";
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
  // A file has no player.
  const offered = Object.entries(sections).filter(
    ([id]) => !(props.api.isRecorded && id === "scenarios"),
  );
  const [chosen, [label, section]] = offered.find(([id]) => id === place.section) ?? [
    "clock",
    sections.clock,
  ];
  return html`<div class="sheet">
    <${Tabs} name="section" label="What to change" chosen=${chosen}
      tabs=${offered.map(([id, [name]]) => [id, name])}>
      <h2 class="unseen">${label}</h2>
      <${section} ...${props} />
    </${Tabs}>
  </div>`;
}
