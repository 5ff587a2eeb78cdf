/** The script of a page that shows an ad and goes elsewhere as soon as it is clicked. */

import { type AdsOptions, createAds, type Impression } from "../../../src/client.ts";

export interface AdsPage {
  /** Starts the client and shows the ads. Resolves when the impressions are recorded. */
  show(options: AdsOptions, ads: readonly string[]): Promise<void>;
  /** Reports a click on the ads and leaves the page in the same turn. */
  clickAndLeave(to: string): void;
}

declare global {
  var adsPage: AdsPage;
}

let reportClicks = (): void => {};

globalThis.adsPage = {
  async show(options, names) {
    const [surface = ""] = options.surfaces;
    const ads = createAds(options);
    await ads.init();
    const shown: Impression[] = names.map((name) => ads.impression(surface, name));
    await Promise.all(shown.map(({ recorded }) => recorded));
    reportClicks = () => {
      for (const impression of shown) ads.click(impression);
    };
  },
  clickAndLeave(to) {
    reportClicks();
    location.assign(to);
  },
};
