@echo off
rem @HELPER@: starts the program for Windows that lies in the folder bin beside this file. Generated; do not edit.
rem Exit: that of @HELPER@; 5 when the program is not there. Full text: --help
setlocal DisableDelayedExpansion
set "aris_bin=%~dp0bin\@HELPER@-x86_64-pc-windows-msvc.exe"
if not exist "%aris_bin%" goto missing
"%aris_bin%" %*
exit /b %ERRORLEVEL%
:missing
echo @HELPER@: error: no program of @HELPER@ for Windows beside the launcher; install the release for this system 1>&2
:argument
if "%~1"=="" exit /b 5
if "%~1"=="--" exit /b 5
if not "%~1"=="--json" shift & goto argument
echo {"error":{"code":"PRECONDITION","message":"no program of @HELPER@ for Windows beside the launcher","hint":"install the release for this system","details":{"target":"x86_64-pc-windows-msvc"}}}
exit /b 5
