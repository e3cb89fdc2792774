// Files in one file (ustar).

export class Tar {
  private readonly parts: Uint8Array[] = [];

  add(name: string, bytes: Uint8Array): void {
    const head = new Uint8Array(512);
    const put = (text: string, at: number): void => head.set(new TextEncoder().encode(text), at);
    const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, "0")}\0`;
    put(name.slice(0, 99), 0);
    put(octal(0o644, 7), 100);
    put(octal(0, 7), 108);
    put(octal(0, 7), 116);
    put(octal(bytes.length, 11), 124);
    put(octal(0, 11), 136); // no time: the same motion gives the same file
    put("        ", 148);
    put("0", 156);
    put("ustar\0" + "00", 257);
    put(
      `${octal(
        head.reduce((sum, byte) => sum + byte, 0),
        6,
      )} `,
      148,
    );
    this.parts.push(head, bytes, new Uint8Array((512 - (bytes.length % 512)) % 512));
  }

  blob(): Blob {
    return new Blob([...this.parts, new Uint8Array(1024)] as BlobPart[], { type: "application/x-tar" });
  }
}
