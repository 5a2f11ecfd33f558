/**
 * A type with each of its members asked for, optional ones too. What a view or a new record returns: the compiler then
 * names every place that has to consider a new member; `undefined` leaves an optional one out.
 */
export type Complete<T> = { [Name in keyof Required<T>]: T[Name] }
