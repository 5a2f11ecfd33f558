/**
 * The rooms of the page, in the order of the navigation, each with its name, its key (pressed after `g`), and its icon. The
 * first four are in the bar of a phone, by a `short` name where theirs is too long for it.
 */
export const rooms = {
  inbox: { label: 'Inbox', key: 'i', icon: 'inbox' },
  requests: { label: 'Traffic', key: 'r', icon: 'requests' },
  rules: { label: 'Rules and faults', short: 'Rules', key: 'f', icon: 'bolt' },
  connect: { label: 'Connect', key: 'c', icon: 'plug' },
  scheduled: { label: 'Scheduled', key: 'l', icon: 'delayed' },
  domains: { label: 'Domains', key: 'd', icon: 'domains' },
  audiences: { label: 'Audiences', key: 'a', icon: 'audiences' },
  templates: { label: 'Templates', key: 't', icon: 'templates' },
  webhooks: { label: 'Webhooks', key: 'w', icon: 'webhooks' },
} as const

export type AnyRoom = keyof typeof rooms
/** The rooms other than the inbox. */
export type RoomName = Exclude<AnyRoom, 'inbox'>

export const allRooms = Object.keys(rooms) as readonly AnyRoom[]
