/**
 * The rooms of the page, in the order of the navigation, each with its name, its key (pressed after `g`), and its icon.
 */
export const rooms = {
  inbox: { label: 'Inbox', key: 'i', icon: 'inbox' },
  domains: { label: 'Domains', key: 'd', icon: 'domains' },
  audiences: { label: 'Audiences', key: 'a', icon: 'audiences' },
  templates: { label: 'Templates', key: 't', icon: 'templates' },
  requests: { label: 'Traffic', key: 'r', icon: 'requests' },
  webhooks: { label: 'Webhooks', key: 'w', icon: 'webhooks' },
  rules: { label: 'Rules and faults', key: 'f', icon: 'bolt' },
  connect: { label: 'Connect', key: 'c', icon: 'plug' },
} as const

export type AnyRoom = keyof typeof rooms
/** The rooms other than the inbox. */
export type RoomName = Exclude<AnyRoom, 'inbox'>

export const allRooms = Object.keys(rooms) as readonly AnyRoom[]
