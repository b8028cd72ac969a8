# The characters of the subsets.
def rows(encoding, first, last):
    chars=set()
    for row in range(first,last+1):
        for cell in range(1,95):
            try: chars.update(bytes([0xA0+row,0xA0+cell]).decode(encoding))
            except UnicodeDecodeError: pass
    return chars
def ranges(*pairs):
    return {chr(c) for a,b in pairs for c in range(a,b+1)}
def write(name, chars):
    open(name,'w').write(''.join(sorted(chars)))
    print(name,len(chars))
# GB 2312 rows 1-9 (signs, kana, Greek, Cyrillic, boxes) and level 1 (rows 16-55)
chars=rows('gb2312',1,9)|rows('gb2312',16,55)
write('characters.txt',chars|ranges((0x3000,0x303F),(0x3040,0x30FF),(0xFF00,0xFFEF),(0x2190,0x21FF),(0x2200,0x22FF),(0x2460,0x24FF),(0x25A0,0x25FF),(0x2600,0x27BF)))
# GB 2312 level 2 (rows 56-87) and JIS X 0208 with its level 1 (rows 1-47), without the first
write('more.txt',(rows('gb2312',56,87)|rows('euc_jp',1,47))-rows('gb2312',1,55))
# Signs of mathematics, letters above and below the line: what Liberation Sans, whose letters they stand beside, does not have
from fontTools.ttLib import TTFont
letters={chr(c) for c in TTFont('LiberationSans-Regular.ttf').getBestCmap()}
write('signs.txt',ranges((0x1D2C,0x1DBF),(0x2070,0x209C),(0x2100,0x214F),(0x2190,0x21FF),(0x2200,0x22FF),(0x2308,0x230B),(0x25A0,0x25FF),(0x2713,0x2718),(0x27C0,0x27FF),(0x2980,0x2AFF),(0x2C60,0x2C7F),(0x1D400,0x1D7FF))-letters)
