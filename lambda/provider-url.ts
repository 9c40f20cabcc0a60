/**
 * A resource of a provider's API, below whatever path the API is at.
 *
 * @param baseUrl e.g. `https://gift-cards.example.com/v2`, with or without a slash at its end
 * @param path absolute within the API, its parts encoded; what `new URL(path, baseUrl)` makes of it has lost the `/v2`
 */
export function providerUrl(baseUrl: string, path: `/${string}`): URL {
  const url = new URL(baseUrl);
  const base = url.pathname.endsWith('/') ? url.pathname.slice(0, -1) : url.pathname;
  url.pathname = `${base}${path}`;
  return url;
}
