/**
 * Where a server is, how it proves to be the right one, and how we prove to be who we are.
 */
export type ServerAccess = {
  /** `https://host:6443`, possibly with a path that all requests begin with. */
  readonly url: string;
  /** Whom the server's certificate must be from, in PEM; the machine's own list where nothing is said. */
  readonly authorityPem?: string;
  /** The name in the server's certificate, where it is not that of the URL. */
  readonly serverName?: string;
  /** The server's certificate is not looked at: whoever is in between may be the server. */
  readonly isUnverified?: true;
  readonly certificate?: { readonly certPem: string; readonly keyPem: string };
  /** Asked before each request, so that a token which is replaced is used at once. Undefined: none for now. */
  readonly token?: () => Promise<string | undefined>;
  /** Where those look who name no namespace. */
  readonly namespace?: string;
};

/**
 * A token that lies in a file and is replaced there from time to time. While the file cannot be read, the token that was
 * last in it is used: it is good for a while longer.
 */
export function tokenFrom(read: () => Promise<string>): () => Promise<string> {
  let last: string | undefined;
  return async () => {
    try {
      last = (await read()).trim();
    } catch (error) {
      if (last === undefined) throw error;
    }
    return last;
  };
}
