/**
 * The address of a server, its certificate authority, and the client's credentials.
 */
export type ServerAccess = {
  /** `https://host:6443`, possibly with a path prefix. */
  readonly url: string;
  /** The CA bundle of the server's certificate, in PEM; the system's by default. */
  readonly authorityPem?: string;
  /** The name in the server's certificate, where it differs from the URL. */
  readonly serverName?: string;
  /** Skips the verification of the server's certificate, which is insecure. */
  readonly isUnverified?: true;
  readonly certificate?: { readonly certPem: string; readonly keyPem: string };
  /** Called before each request, so that a rotated token is used at once. Undefined: none for now. */
  readonly token?: () => Promise<string | undefined>;
  /** The default namespace. */
  readonly namespace?: string;
  /** Of a kubeconfig: what it was taken from, for people. */
  readonly origin?: { readonly kubeconfig: string; readonly context: string };
};

/**
 * A token in a file that is rotated. While the file cannot be read, the last token is used: it stays valid for a while.
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
