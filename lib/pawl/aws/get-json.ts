import { clientFor } from './http.ts';

/** Gets a small JSON document. Node's `fetch` would load a client of its own for it. @throws Error when there is none */
export function getJson(url: URL, headers: Readonly<Record<string, string>>): Promise<unknown> {
  const { request } = clientFor(url);
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers, timeout: 1000, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        try {
          if (response.statusCode !== 200) throw new Error(`${url.host} returned status ${response.statusCode}`);
          resolve(JSON.parse(Buffer.concat(chunks).toString('utf8')));
        } catch (error) {
          reject(error);
        }
      });
    });
    sent.on('timeout', () => sent.destroy(new Error(`${url.host} did not respond in time`)));
    sent.on('error', reject);
    sent.end();
  });
}
