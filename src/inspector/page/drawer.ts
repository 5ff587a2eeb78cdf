/** The drawer beside the list: the findings, or what can be changed in the world. */

import { html } from "htm/preact";
import { Assumptions } from "./assumptions.ts";
import { Faults } from "./faults.ts";
import { Findings } from "./findings.ts";
import { chosenOf, type DrawerProps, type Part, Tabs } from "./parts.ts";
import { go, usePlace } from "./place.ts";
import { Publishers } from "./publishers.ts";
import { Scenarios } from "./scenarios.ts";
import { StateOfWorld } from "./state.ts";

const sections = {
  faults: "Faults",
  assumptions: "Assumptions",
  publishers: "Publishers",
  scenarios: "Scenarios",
  state: "State",
};

const views = {
  faults: Faults,
  assumptions: Assumptions,
  publishers: Publishers,
  scenarios: Scenarios,
  state: StateOfWorld,
} as const;

export function Drawer(props: DrawerProps & { readonly isFindings: boolean }): Part {
  const { isFindings, source } = props;
  const { section } = usePlace();
  const close = (): void => go({ view: undefined, section: undefined });
  const { scenarios, state, ...shownInFile } = sections;
  const tabs = source.isFile ? shownInFile : sections;
  const chosen = chosenOf(tabs, section);
  const View = Object.entries(views).find(([id]) => id === chosen)?.[1];
  return html`<aside class="drawer side" aria-label=${isFindings ? "Findings" : "World"}>
    <header><h2>${isFindings ? "Findings" : "World"}</h2>
      <button type="button" aria-label="Close" title="Close (Esc)" onClick=${close}>✕</button></header>
    ${
      isFindings
        ? html`<div class="tab-panel" tabindex="0"><${Findings} ...${props} /></div>`
        : html`<${Tabs} name="section" label="What to change" tabs=${tabs} chosen=${chosen}><${View} ...${props} /></${Tabs}>`
    }
  </aside>`;
}
