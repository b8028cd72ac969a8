//! The commands by what they do; a later line wins over an earlier one.

use super::{
    builtin::{Cmd, If},
    style,
};
use crate::IncludeKind;

const TEXT: u16 = style::MATH | style::DISPLAY;

pub(super) const GROUPS: &[(&str, Cmd)] = &[
    (
        "noindent indent centering raggedright raggedleft flushleft relax protect expandafter noexpand global long \
         protected outer maketitle maketitlepage frontmatter mainmatter backmatter newpage clearpage cleardoublepage \
         pagebreak nolinebreak nopagebreak displaystyle textstyle scriptstyle scriptscriptstyle limits nolimits \
         tiny scriptsize footnotesize small normalsize large Large LARGE huge Huge rmfamily sffamily upshape mdseries \
         normalfont rm sf sc scshape frenchspacing sloppy fussy allowbreak smallskip medskip bigskip null vfill \
         hss vss leavevmode strut break startdata enddata nodata tableofcontents listoffigures listoftables onecolumn \
         printbibliography makeatletterx left right middle big Big bigg Bigg bigl bigr bigm Bigl Bigr Bigm biggl biggr \
         Biggl Biggr ignorespaces unskip / - @ ! endcsname makeindex printindex \
         nonumber notag hfil vfil phantomsection unboldmath boldmath singlespacing doublespacing onehalfspacing \
         balance flushbottom raggedbottom selectfont qedhere qed mathstrut \
         centerline smallbreak medbreak bigbreak goodbreak filbreak eject acknowledgements acknowledgments",
        Cmd::Nothing,
    ),
    (include_str!("transparent.txt"), Cmd::Nothing),
    (
        "operatorname xrightarrow xleftarrow smash textls enquote gls Gls glspl Glspl acrshort acrlong acrfull ac acp acs \
         acl acf linenumbers marginpar marginnote allowdisplaybreaks displaybreak suppressfloats lipsum blindtext \
         Blindtext subcaptionbox tcbox",
        Cmd::Skip("so"),
    ),
    (
        "noalign acmYear acmDOI acmISBN acmPrice acmVolume acmNumber acmArticle acmMonth acmJournal acmBooktitle \
         acmSubmissionID setcopyright copyrightyear startPage CopyrightYear crdata numberofauthors IEEEpubid \
         printAffiliationsAndNotice nocollaboration titlerunning authorrunning orcidID orcidlink pdfinfo toctitle tocauthor journal \
         biboptions pacs newgeometry mathtoolsset sbox savebox bibinfo bibfield fontfamily fontencoding fontseries fontshape \
         restylefloat floatstyle",
        Cmd::Skip("m"),
    ),
    ("enlargethispage", Cmd::Skip("sm")),
    ("usefont", Cmd::Skip("mmmm")),
    ("SetCell SetRow SetColumn setlist received", Cmd::Skip("om")),
    ("rowcolors", Cmd::Skip("sommm")),
    ("pdfbookmark newrefformat", Cmd::Skip("omm")),
    (
        "conferenceinfo icmlsetsymbol addtocontents floatname",
        Cmd::Skip("mm"),
    ),
    ("crefname Crefname newlist newfloat", Cmd::Skip("mmm")),
    (
        "romannumeral pdfoutput pdfminorversion pdfcompresslevel pdfsuppresswarningpagegroup raise lower moveleft moveright",
        Cmd::Skip("g"),
    ),
    ("texorpdfstring", Cmd::First),
    (
        "quad qquad enspace enskip space , ; : > thinspace thickspace medspace nobreakspace",
        Cmd::Space,
    ),
    ("hfill linebreak dotfill hrulefill", Cmd::Space),
    ("hspace", Cmd::HSpace),
    (", thinspace", Cmd::ThinSpace),
    ("par endgraf newline", Cmd::Par),
    (
        "STATE State Statex STATEX IF If ELSIF ElsIf ELSE Else ENDIF EndIf FOR For FORALL ForAll ENDFOR EndFor WHILE While \
         ENDWHILE EndWhile REPEAT Repeat UNTIL Until LOOP Loop ENDLOOP EndLoop REQUIRE Require ENSURE Ensure RETURN Return \
         PRINT Print Procedure EndProcedure Function EndFunction Input Output KwIn KwOut KwData KwResult KwRet",
        Cmd::Par,
    ),
    (
        "vspace addvspace stepcounter refstepcounter pagestyle thispagestyle pagenumbering bibliographystyle \
         usetikzlibrary setstretch linespread theoremstyle hypersetup lstset geometry \
         phantom hphantom vphantom value arabic roman Roman alph Alph fnsymbol color \
            listoftodos tag tablewidth tabletypesize tablecolumns \
         citestyle setcitestyle bibpunct shortcites pgfplotsset tikzset newtoggle DeclareGraphicsExtensions \
         urlstyle icmltitlerunning runningtitle shorttitle shortauthors \
          lhead rhead chead lfoot rfoot cfoot raisetag mathindent sectionmark chaptermark \
          markright DeclareCaptionLabelFormat ltxcite \
         refname usebox hyphenation nobibliography bstctlcite symbol",
        Cmd::Skip("sm"),
    ),
    (
        "PassOptionsToPackage setmainfont setsansfont setmonofont setmathfont newfontfamily ccsdesc \
         lstdefinestyle usetheme usecolortheme theoremstyle PassOptionsToClass acmConference",
        Cmd::Skip("omo"),
    ),
    (
        "setcounter addtocounter setlength addtolength settowidth settoheight newtheorem* markboth \
         numberwithin counterwithin DeclareUnicodeCharacter \
         lstdefinelanguage colorlet \
          AtBeginEnvironment AtEndEnvironment fontsize \
          pgfmathsetmacro defcitealias",
        Cmd::Skip("smm"),
    ),
    (
        "addcontentsline definecolor providecolor titleclass",
        Cmd::Skip("mmm"),
    ),
    (
        "newtheorem newmdtheoremenv newframedtheorem newshadedtheorem",
        Cmd::NewTheorem(false),
    ),
    (
        "spnewtheorem newtcbtheorem NewTcbTheorem",
        Cmd::NewTheorem(true),
    ),
    ("declaretheorem", Cmd::DeclareTheorem),
    ("newcolumntype", Cmd::Skip("mom")),
    ("rowcolor columncolor", Cmd::Skip("omoo")),
    ("ding index glossary", Cmd::Skip("m")),
    ("titleformat", Cmd::Skip("smommmmo")),
    ("titlespacing", Cmd::Skip("smmmmo")),
    (
        "DeclareCaptionFormat DeclareCaptionFont DeclareCaptionType",
        Cmd::Skip("mom"),
    ),
    ("newtcolorbox tcolorboxenvironment", Cmd::Skip("oomm")),
    ("newglossaryentry newacronym", Cmd::Skip("ommm")),
    ("fancyhead fancyfoot fancyhf", Cmd::Skip("om")),
    (
        "AtBeginDocument AtEndPreamble AfterEndPreamble",
        Cmd::AtBegin,
    ),
    ("AtEndDocument AfterEndDocument", Cmd::AtEnd),
    ("AtBeginBibliography", Cmd::Skip("m")),
    ("@namedef csdef csgdef csedef csxdef", Cmd::NameDef),
    ("@nameuse csuse", Cmd::NameUse),
    (
        "tikz captionsetup todo missingfigure color pagecolor cellcolor arrayrulecolor textcolor colorbox foreignlanguage",
        Cmd::Skip("om"),
    ),
    ("fcolorbox", Cmd::Skip("omm")),
    ("hypertarget hyperlink", Cmd::Skip("m")),
    ("selectlanguage resetcounters", Cmd::Skip("m")),
    ("resizebox", Cmd::Skip("smm")),
    ("scalebox", Cmd::Skip("mo")),
    ("rotatebox", Cmd::Skip("om")),
    ("raisebox", Cmd::Skip("moo")),
    ("parbox", Cmd::Skip("ooom")),
    ("makebox framebox", Cmd::Skip("poo")),
    ("adjustbox", Cmd::Skip("m")),
    ("shortstack makecell thead gape", Cmd::Skip("so")),
    ("rule", Cmd::Skip("omm")),
    (
        "vskip hskip kern mkern mskip penalty hsize vsize parindent parskip baselineskip tabcolsep looseness tolerance \
        itemsep topsep parsep fboxsep textfloatsep intextsep abovecaptionskip belowcaptionskip \
      columnsep arrayrulewidth doublerulesep extrarowheight hfuzz vfuzz emergencystretch clubpenalty widowpenalty \
      displaywidowpenalty interfootnotelinepenalty abovedisplayskip belowdisplayskip abovedisplayshortskip \
      belowdisplayshortskip lineskip lineskiplimit topskip floatsep dbltextfloatsep leftskip rightskip parfillskip \
      leftmargin rightmargin labelsep labelwidth itemindent listparindent hangindent hangafter tracinglostchars char \
      catcode lccode uccode textwidth textheight columnwidth linewidth paperwidth paperheight oddsidemargin \
      evensidemargin topmargin headheight headsep footskip multirowsep number numexpr dimexpr the escapechar \
      LTcapwidth cmidrulewidth heavyrulewidth lightrulewidth aboverulesep belowrulesep cmidrulekern thickmuskip \
      medmuskip thinmuskip defaultaddspace",
        Cmd::Skip("g"),
    ),
    ("addlinespace hyperref", Cmd::Skip("o")),
    (
        "tablenotemark tnote tmark tnotemark inst fnref corref fnm IEEEauthorrefmark",
        Cmd::FootnoteMark,
    ),
    ("tablenotetext", Cmd::Skip("m")),
    (
        "bfseries bf boldmathseries bseries",
        Cmd::Declare(style::BOLD, 0),
    ),
    ("itshape it em slshape sl", Cmd::Declare(style::EMPH, 0)),
    ("ttfamily tt", Cmd::Declare(style::CODE, 0)),
    (
        "normalfont",
        Cmd::Declare(0, style::BOLD | style::EMPH | style::CODE),
    ),
    (
        "textbf mathbf bm boldsymbol pmb mathbfit symbf ubold",
        Cmd::Font(style::BOLD, 0),
    ),
    ("emph textit textsl mathit", Cmd::Font(style::EMPH, 0)),
    ("texttt mathtt", Cmd::Font(style::CODE, 0)),
    (
        "textrm textsf textnormal textup textmd textsc mbox hbox fbox text intertext shortintertext textnormal",
        Cmd::Font(0, TEXT),
    ),
    ("ensuremath", Cmd::Font(style::MATH, 0)),
    ("textsuperscript", Cmd::Script(true)),
    ("textsubscript", Cmd::Script(false)),
    ("part", Cmd::Heading(-1)),
    ("chapter", Cmd::Heading(0)),
    ("section", Cmd::Heading(1)),
    ("subsection frametitle", Cmd::Heading(2)),
    ("subsubsection framesubtitle", Cmd::Heading(3)),
    ("paragraph", Cmd::Heading(4)),
    ("subparagraph", Cmd::Heading(5)),
    ("appendix appendices", Cmd::Appendix),
    ("title subtitle icmltitle", Cmd::Title),
    (
        "author affil affiliation institute address email date thanks institution department city country state \
         altaffilmark altaffiltext IEEEauthorblockN IEEEauthorblockA orcid authornote dedicatory correspondingauthor ead \
         icmlauthor icmlaffiliation icmlcorrespondingauthor homepage altaffiliation preprint collaboration",
        Cmd::Front,
    ),
    (
        "keywords keyword subjectclass IEEEkeywords icmlkeywords",
        Cmd::Keywords,
    ),
    ("abstract", Cmd::Abstract),
    (
        "caption subcaption tablecaption topcaption bottomcaption captionbelow captionabove",
        Cmd::Caption,
    ),
    ("captionof", Cmd::CaptionOf),
    ("subfloat subfigure subtable", Cmd::SubFloat),
    ("footnote endnote sidenote tablefootnote", Cmd::Footnote),
    ("footnotemark", Cmd::FootnoteMark),
    (
        "footnotetext tablecomments tnotetext cortext fntext",
        Cmd::FootnoteText,
    ),
    ("item", Cmd::Item),
    ("bibitem", Cmd::BibItem),
    ("and And AND", Cmd::And),
    ("label", Cmd::Label),
    (
        "ref eqref pageref autoref cref Cref nameref vref Vref labelcref subref fref Fref sref zcref autopageref \
      cpageref namecref lcnamecref thref subcref tref",
        Cmd::Ref,
    ),
    ("crefrange Crefrange vrefrange", Cmd::RefRange),
    (
        "cite Cite citep Citep citet Citet citealp Citealp citealt Citealt citeauthor Citeauthor citeyear citeyearpar \
      citetitle parencite Parencite textcite Textcite autocite Autocite footcite footcitetext smartcite Smartcite \
      supercite fullcite footfullcite citenum citefullauthor Citefullauthor citedate citeurl notecite pnotecite \
      citeonline onlinecite shortcite citeA citeN citeasnoun posscite citepos newcite bibentry citeNP \
      citeyearNP citeauthorNP fullciteA shortciteA cited possessivecite citeauthoryear Citealias \
      citeposs Citeauthor inlinecite textcitecomma usecite sidecite authorcite yearcite",
        Cmd::Cite,
    ),
    (
        "cites Cites parencites Parencites textcites Textcites autocites Autocites footcites footcitetexts smartcites \
      Smartcites supercites",
        Cmd::Cites,
    ),
    ("citetalias citepalias", Cmd::CiteAlias),
    ("nocite", Cmd::NoCite),
    ("url nolinkurl path doi", Cmd::Url),
    ("href", Cmd::Href),
    ("verb Verb", Cmd::Verb),
    ("lstinline mintinline", Cmd::Listing),
    ("begin", Cmd::Begin),
    ("end", Cmd::End),
    ("bgroup begingroup", Cmd::BGroup),
    ("egroup endgroup", Cmd::EGroup),
    ("input @input", Cmd::Include(IncludeKind::Input)),
    ("include", Cmd::Include(IncludeKind::Include)),
    ("subfile subfileinclude", Cmd::Include(IncludeKind::Subfile)),
    (
        "bibliography addbibresource addglobalbib addsectionbib",
        Cmd::Include(IncludeKind::Bibliography),
    ),
    (
        "includegraphics includesvg plotone epsfbox",
        Cmd::Include(IncludeKind::Graphics),
    ),
    (
        "csvreader csvautotabular csvautobooktabular csvautolongtable csvloop pgfplotstableread pgfplotstabletypeset \
      pgfplotstabletypesetfile DTLloaddb DTLloadrawdb DTLread datareadcsv",
        Cmd::Include(IncludeKind::Data),
    ),
    (
        "lstinputlisting verbatiminput VerbatimInput inputminted includepdf",
        Cmd::Include(IncludeKind::Listing),
    ),
    ("InputIfFileExists IfFileExists", Cmd::InputIf),
    ("import inputfrom includefrom", Cmd::Import(false)),
    ("subimport subinputfrom subincludefrom", Cmd::Import(true)),
    ("includeonly", Cmd::IncludeOnly),
    ("graphicspath", Cmd::GraphicsPath),
    ("addplot addplot3", Cmd::PlotData),
    (
        "newcommand renewcommand DeclareRobustCommand algnewcommand algrenewcommand newcommandx renewcommandx \
         newrobustcmd renewrobustcmd",
        Cmd::NewCommand(false),
    ),
    ("providecommand providerobustcmd", Cmd::NewCommand(true)),
    ("def gdef edef xdef", Cmd::Def),
    (
        "NewDocumentCommand RenewDocumentCommand DeclareDocumentCommand NewExpandableDocumentCommand",
        Cmd::DocumentCommand(false),
    ),
    ("ProvideDocumentCommand", Cmd::DocumentCommand(true)),
    (
        "newenvironment renewenvironment provideenvironment",
        Cmd::NewEnvironment,
    ),
    (
        "NewDocumentEnvironment RenewDocumentEnvironment DeclareDocumentEnvironment",
        Cmd::DocumentEnvironment,
    ),
    ("newcounter", Cmd::DeclaresNamed("the", "o")),
    (
        "SetKwInput SetKwInOut SetKwFunction SetKwData SetKw",
        Cmd::DeclaresNamed("", "m"),
    ),
    ("SetKwProg", Cmd::DeclaresNamed("", "mmm")),
    ("let", Cmd::Let),
    (
        "newlength newdimen newcount newskip newmuskip newtoks",
        Cmd::Declares("g"),
    ),
    (
        "newsavebox newbox newread newwrite chardef mathchardef",
        Cmd::Declares(""),
    ),
    ("DeclareTextFontCommand", Cmd::Declares("m")),
    ("DeclarePairedDelimiter", Cmd::Declares("mm")),
    (
        "DeclareMathSymbol DeclarePairedDelimiterX DeclarePairedDelimiterXPP",
        Cmd::Declares("ommm"),
    ),
    ("DeclareMathAlphabet", Cmd::Declares("mmmm")),
    ("newif", Cmd::NewIf),
    ("DeclareMathOperator", Cmd::Operatorname),
    ("DeclareSIUnit", Cmd::SiUnit),
    ("iffalse", Cmd::If(If::False)),
    ("iftrue", Cmd::If(If::True)),
    ("ifmmode", Cmd::If(If::Mode)),
    (
        "ifhmode ifvmode ifinner ifpdf ifxetex ifluatex ifPDFTeX ifXeTeX ifLuaTeX iftutex ifpdftex",
        Cmd::If(If::Nothing),
    ),
    ("ifx if ifcat", Cmd::If(If::Same)),
    ("ifdefined", Cmd::If(If::One)),
    ("ifcsname", Cmd::If(If::CsName)),
    ("ifnum ifdim", Cmd::If(If::Compare)),
    ("ifodd ifcase ifeof", Cmd::If(If::Number)),
    ("else or", Cmd::Else),
    ("fi", Cmd::Fi),
    (
        "ifthenelse ifdef ifundef ifdefempty ifdefvoid ifbool @ifundefined",
        Cmd::Either("m"),
    ),
    (
        "ifstrequal ifdefstring IfSubStr IfEq IfStrEq IfBeginWith",
        Cmd::Either("mm"),
    ),
    (
        "apptocmd pretocmd appto preto gappto gpreto eappto xappto g@addto@macro",
        Cmd::Changes("m"),
    ),
    ("patchcmd xpatchcmd", Cmd::Changes("mm")),
    ("ifblank ifstrempty IfBlankTF", Cmd::BlankArg),
    ("iftoggle", Cmd::Toggle),
    ("toggletrue", Cmd::SetToggle(true)),
    ("togglefalse", Cmd::SetToggle(false)),
    ("IfBooleanTF", Cmd::StarArg),
    ("IfNoValueTF", Cmd::NoValueArg(false)),
    ("IfValueTF", Cmd::NoValueArg(true)),
    ("NoValue", Cmd::NoValue),
    ("BooleanTrue", Cmd::True),
    ("excludecomment", Cmd::ExcludeComment),
    ("includecomment", Cmd::IncludeComment),
    ("(", Cmd::MathOpen(false)),
    ("[", Cmd::MathOpen(true)),
    (")", Cmd::MathClose(false)),
    ("]", Cmd::MathClose(true)),
    ("frac dfrac tfrac cfrac nicefrac sfrac", Cmd::Frac),
    ("sqrt", Cmd::Sqrt),
    ("binom dbinom tbinom", Cmd::Binom),
    (
        "left right big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr middle",
        Cmd::Delimiter,
    ),
    ("num", Cmd::Num),
    ("numlist numproduct", Cmd::NumList),
    ("numrange", Cmd::NumRange),
    ("SI qty", Cmd::Quantity),
    ("sisetup", Cmd::SiSetup),
    ("SIrange qtyrange", Cmd::QuantityRange),
    ("SIlist qtylist qtyproduct", Cmd::QuantityList),
    ("si unit", Cmd::Unit),
    ("ang", Cmd::Angle),
    ("multicolumn", Cmd::MultiColumn),
    ("multirow multirowcell", Cmd::MultiRow),
    ("\\ tabularnewline cr tabularnewline", Cmd::RowEnd),
    (
        "hline midrule Xhline hlineB bottomrule toprule Hline dhline tophline middlehline bottomhline",
        Cmd::Rule,
    ),
    ("cmidrule cline cdashline", Cmd::Skip("opm")),
    ("hhline dashline", Cmd::Skip("m")),
    ("hdashline", Cmd::Skip("o")),
    ("specialrule", Cmd::Skip("mmm")),
    ("endhead endfirsthead", Cmd::HeadEnd),
    ("endfoot endlastfoot", Cmd::Nothing),
    ("tablehead", Cmd::TableHead),
    ("colhead", Cmd::Nothing),
    ("xspace", Cmd::XSpace),
    ("makeatletter", Cmd::AtLetter(true)),
    ("makeatother", Cmd::AtLetter(false)),
    (
        "ExplSyntaxOn ProvidesExplPackage ProvidesExplClass",
        Cmd::Expl(true),
    ),
    ("ExplSyntaxOff", Cmd::Expl(false)),
    ("endinput", Cmd::EndInput),
    ("documentclass documentstyle", Cmd::DocumentClass),
    (
        "usepackage RequirePackage RequirePackageWithOptions",
        Cmd::Package(IncludeKind::Package),
    ),
    (
        "LoadClass LoadClassWithOptions",
        Cmd::Package(IncludeKind::Class),
    ),
    ("csname", Cmd::CsName),
    ("` ", Cmd::Accent('`')),
    ("'", Cmd::Accent('\'')),
    ("^", Cmd::Accent('^')),
    ("\"", Cmd::Accent('"')),
    ("~", Cmd::Accent('~')),
    ("=", Cmd::Accent('=')),
    (".", Cmd::Accent('.')),
    ("u", Cmd::Accent('u')),
    ("v", Cmd::Accent('v')),
    ("H", Cmd::Accent('H')),
    ("c", Cmd::Accent('c')),
    ("k", Cmd::Accent('k')),
    ("r", Cmd::Accent('r')),
    ("d", Cmd::Accent('d')),
    ("b", Cmd::Accent('b')),
    ("t", Cmd::Accent('t')),
];
