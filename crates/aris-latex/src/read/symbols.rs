//! Control sequences that print one fixed text.

/// Binary operators and relations: set off by spaces when they stand between two operands in maths.
pub(super) const OPERATORS: &[(&str, &str)] = &[
    ("pm", "±"), ("mp", "∓"), ("times", "×"), ("cdot", "·"), ("div", "÷"), ("ast", "*"), ("star", "⋆"),
    ("circ", "∘"), ("bullet", "•"), ("oplus", "⊕"), ("otimes", "⊗"), ("odot", "⊙"), ("cap", "∩"), ("cup", "∪"),
    ("setminus", "∖"), ("wedge", "∧"), ("vee", "∨"), ("land", "∧"), ("lor", "∨"), ("leq", "≤"), ("le", "≤"),
    ("leqslant", "≤"), ("geq", "≥"), ("ge", "≥"), ("geqslant", "≥"), ("neq", "≠"), ("ne", "≠"),
    ("approx", "≈"), ("sim", "~"), ("simeq", "≃"), ("cong", "≅"), ("equiv", "≡"), ("propto", "∝"), ("ll", "≪"),
    ("gg", "≫"), ("lesssim", "≲"), ("gtrsim", "≳"), ("lt", "<"), ("gt", ">"), ("to", "→"), ("rightarrow", "→"),
    ("Rightarrow", "⇒"), ("longrightarrow", "→"), ("Longrightarrow", "⇒"), ("leftarrow", "←"), ("gets", "←"),
    ("Leftarrow", "⇐"), ("leftrightarrow", "↔"), ("Leftrightarrow", "⇔"), ("iff", "⇔"), ("implies", "⇒"),
    ("mapsto", "↦"), ("in", "∈"), ("notin", "∉"), ("ni", "∋"), ("subset", "⊂"), ("subseteq", "⊆"),
    ("supset", "⊃"), ("supseteq", "⊇"), ("mid", "|"), ("parallel", "∥"), ("perp", "⊥"), ("coloneqq", "≔"),
    ("triangleq", "≜"), ("doteq", "≐"), ("succ", "≻"), ("prec", "≺"), ("bmod", "mod"),
];

/// Function names: spaced from letters and digits around them.
pub(super) const FUNCTIONS: &[&str] = &[
    "log", "ln", "lg", "exp", "sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh", "coth", "arcsin", "arccos",
    "arctan", "min", "max", "argmin", "argmax", "sup", "inf", "lim", "limsup", "liminf", "det", "dim", "ker", "Pr", "gcd",
    "deg", "hom", "arg",
];

/// Everything else.
pub(super) const SYMBOLS: &[(&str, &str)] = &[
    ("%", "%"), ("&", "&"), ("_", "_"), ("$", "$"), ("#", "#"), ("{", "{"), ("}", "}"),
    ("lbrace", "{"), ("rbrace", "}"), ("textunderscore", "_"), ("textdollar", "$"), ("textpercent", "%"),
    ("textbackslash", "\\"), ("backslash", "\\"), ("textasciitilde", "~"), ("textasciicircum", "^"), ("textbar", "|"),
    ("textless", "<"), ("textgreater", ">"), ("textbraceleft", "{"), ("textbraceright", "}"), ("textquotesingle", "'"),
    ("textquotedbl", "\""), ("textquoteleft", "‘"), ("textquoteright", "’"), ("lq", "‘"), ("rq", "’"),
    ("textquotedblleft", "“"), ("textquotedblright", "”"), ("guillemotleft", "«"), ("guillemotright", "»"),
    ("ss", "ß"), ("o", "ø"), ("O", "Ø"), ("l", "ł"), ("L", "Ł"), ("ae", "æ"), ("AE", "Æ"), ("oe", "œ"), ("OE", "Œ"),
    ("aa", "å"), ("AA", "Å"), ("i", "ı"), ("j", "ȷ"), ("dh", "ð"), ("DH", "Ð"), ("th", "þ"), ("TH", "Þ"), ("dj", "đ"),
    ("DJ", "Đ"), ("ng", "ŋ"), ("NG", "Ŋ"),
    ("dag", "†"), ("dagger", "†"), ("textdagger", "†"), ("ddag", "‡"), ("ddagger", "‡"), ("S", "§"), ("textsection", "§"),
    ("P", "¶"), ("copyright", "©"), ("textcopyright", "©"), ("textregistered", "®"), ("texttrademark", "™"),
    ("pounds", "£"), ("textsterling", "£"), ("euro", "€"), ("texteuro", "€"), ("EUR", "€"), ("textyen", "¥"), ("textcent", "¢"),
    ("textpm", "±"), ("texttimes", "×"), ("textdiv", "÷"), ("textdegree", "°"), ("degree", "°"), ("textmu", "µ"),
    ("textmicro", "µ"), ("micro", "µ"), ("celsius", "°C"), ("textcelsius", "°C"), ("ohm", "Ω"), ("textohm", "Ω"),
    ("perthousand", "‰"), ("textperthousand", "‰"), ("textonehalf", "½"), ("textonequarter", "¼"),
    ("textthreequarters", "¾"), ("textendash", "–"), ("textemdash", "—"), ("textbullet", "•"), ("textperiodcentered", "·"),
    ("textnumero", "№"), ("slash", "/"), ("ldots", "…"), ("dots", "…"), ("textellipsis", "…"), ("cdots", "…"), ("dotsc", "…"),
    ("dotsb", "…"), ("vdots", "…"), ("ddots", "…"), ("LaTeX", "LaTeX"), ("TeX", "TeX"), ("LaTeXe", "LaTeX2ε"),
    ("BibTeX", "BibTeX"), ("XeLaTeX", "XeLaTeX"), ("eg", "e.g."), ("ie", "i.e."), ("textrightarrow", "→"),
    ("textleftarrow", "←"), ("textuparrow", "↑"), ("textdownarrow", "↓"), ("uparrow", "↑"), ("downarrow", "↓"),
    ("Uparrow", "⇑"), ("Downarrow", "⇓"), ("nearrow", "↗"), ("searrow", "↘"), ("updownarrow", "↕"), ("checkmark", "✓"),
    ("cmark", "✓"), ("xmark", "✗"), ("infty", "∞"), ("partial", "∂"), ("nabla", "∇"), ("sum", "∑"),
    ("prod", "∏"), ("int", "∫"), ("iint", "∬"), ("oint", "∮"), ("bigcup", "⋃"), ("bigcap", "⋂"), ("forall", "∀"),
    ("exists", "∃"), ("emptyset", "∅"), ("varnothing", "∅"), ("neg", "¬"), ("lnot", "¬"), ("angle", "∠"), ("prime", "′"),
    ("ell", "ℓ"), ("hbar", "ℏ"), ("Re", "Re"), ("Im", "Im"), ("aleph", "ℵ"), ("top", "⊤"), ("bot", "⊥"), ("dagger", "†"),
    ("langle", "⟨"), ("rangle", "⟩"), ("lfloor", "⌊"), ("rfloor", "⌋"), ("lceil", "⌈"), ("rceil", "⌉"), ("lvert", "|"),
    ("rvert", "|"), ("vert", "|"), ("lVert", "‖"), ("rVert", "‖"), ("Vert", "‖"), ("|", "‖"), ("colon", ":"),
    ("lbrack", "["), ("rbrack", "]"), ("square", "□"), ("Box", "□"), ("blacksquare", "■"), ("triangle", "△"),
    ("blacktriangle", "▲"), ("diamond", "⋄"), ("diamondsuit", "♢"), ("heartsuit", "♡"), ("clubsuit", "♣"), ("spadesuit", "♠"),
    ("alpha", "α"), ("beta", "β"), ("gamma", "γ"), ("delta", "δ"), ("epsilon", "ϵ"), ("varepsilon", "ε"), ("zeta", "ζ"),
    ("eta", "η"), ("theta", "θ"), ("vartheta", "ϑ"), ("iota", "ι"), ("kappa", "κ"), ("lambda", "λ"), ("mu", "μ"),
    ("nu", "ν"), ("xi", "ξ"), ("pi", "π"), ("varpi", "ϖ"), ("rho", "ρ"), ("varrho", "ϱ"), ("sigma", "σ"),
    ("varsigma", "ς"), ("tau", "τ"), ("upsilon", "υ"), ("phi", "ϕ"), ("varphi", "φ"), ("chi", "χ"), ("psi", "ψ"),
    ("omega", "ω"), ("Gamma", "Γ"), ("Delta", "Δ"), ("Theta", "Θ"), ("Lambda", "Λ"), ("Xi", "Ξ"), ("Pi", "Π"),
    ("Sigma", "Σ"), ("Upsilon", "Υ"), ("Phi", "Φ"), ("Psi", "Ψ"), ("Omega", "Ω"),
];
