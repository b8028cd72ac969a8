# characters: GB 2312 rows 1-9 (signs, kana, Greek, Cyrillic, boxes) and level 1 (rows 16-55)
chars=set()
for row in list(range(1,10))+list(range(16,56)):
    for cell in range(1,95):
        try: chars.update(bytes([0xA0+row,0xA0+cell]).decode('gb2312'))
        except UnicodeDecodeError: pass
for a,b in [(0x3000,0x303F),(0x3040,0x30FF),(0xFF00,0xFFEF),(0x2190,0x21FF),(0x2200,0x22FF),(0x2460,0x24FF),(0x25A0,0x25FF),(0x2600,0x27BF)]:
    chars.update(chr(c) for c in range(a,b+1))
open('characters.txt','w').write(''.join(sorted(chars)))
print(len(chars))
