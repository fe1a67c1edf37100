/**
 * What the server says of itself: which groups, versions and resources it serves (discovery), what their objects look
 * like and what can be done with them (OpenAPI), and which Kubernetes it is.
 *
 * Everything is computed from the resources that are served now, so it cannot say more or less than there is. Clients
 * begin with it: kubectl finds kinds by discovery, checks and explains objects by OpenAPI, and lets the version decide
 * what it asks for. Bodies, headers and orders are those of a real server.
 *
 * Large answers are kept for as long as the list of resources they were made from, so give the same list until
 * something changes. A change of one definition makes the document of its group anew, and no other.
 *
 * Not here: who may ask (`access`), health, the objects themselves.
 *
 * Start with `answer-discovery.ts`; for OpenAPI with `openapi-document.ts`, then `definitions.ts`.
 */
export { discoveryResponse } from './discovery-response.ts';
