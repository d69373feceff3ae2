import open from 'open'

type Environment = Readonly<Record<string, string | undefined>>

/** Opens an address in the default browser. Resolves to `false` if there is no desktop, or if no browser starts. */
export const openBrowser = async (
  address: string,
  env: Environment,
  platform: NodeJS.Platform,
): Promise<boolean> => {
  if (!hasDesktop(env, platform)) return false
  try {
    await open(address)
    return true
  } catch {
    return false
  }
}

/**
 * Checks if a browser would open where the person sits. Over SSH it would open on the other machine. Without a display, `xdg-open` would
 * start a browser in the terminal.
 */
export const hasDesktop = (env: Environment, platform: NodeJS.Platform): boolean => {
  if (env.SSH_CONNECTION || env.SSH_TTY) return false
  if (platform === 'darwin' || platform === 'win32') return true
  return Boolean(env.DISPLAY || env.WAYLAND_DISPLAY || env.WSL_DISTRO_NAME)
}
