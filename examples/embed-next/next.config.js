/** @type {import('next').NextConfig} */
export default {
  // Localpost reads files of its own package: it is loaded as it is, not bundled.
  serverExternalPackages: ['localpost'],
  // `/mail/` is not sent back to `/mail`.
  skipTrailingSlashRedirect: true,
}
