# Programs for the MPIs of this machine, which are built with the compilers that each brings along:
# Debian lets Open MPI and MPICH stand side by side.
# needs: mpirun.openmpi, mpicc.openmpi, mpicxx.openmpi, mpifort.openmpi
# needs: mpirun.mpich, mpicc.mpich, mpicxx.mpich, mpifort.mpich
set(KSTAR_MPIS openmpi mpich)
foreach(mpi ${KSTAR_MPIS})
  string(TOUPPER ${mpi} upper)
  find_program(KSTAR_${upper}_RUN mpirun.${mpi})
  foreach(language cc cxx fort)
    find_program(KSTAR_${upper}_${language} mpi${language}.${mpi})
    mark_as_advanced(KSTAR_${upper}_${language})
  endforeach()
  if(NOT KSTAR_${upper}_RUN)
    set(KSTAR_${upper}_RUN "")
  endif()
endforeach()

# kstar_mpi_program(TARGET MPI LANGUAGE OUTPUT SOURCE FLAGS...): OUTPUT, built for MPI from SOURCE, as
# part of TARGET (a custom target). Nothing where that MPI, or its compiler, is not here.
function(kstar_mpi_program target mpi language output source)
  string(TOUPPER ${mpi} upper)
  set(compiler ${KSTAR_${upper}_${language}})
  if(NOT compiler OR NOT KSTAR_${upper}_RUN)
    return()
  endif()
  get_filename_component(folder ${output} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${output} COMMAND ${compiler} ${source} -o ${output} ${ARGN}
                     DEPENDS ${source} WORKING_DIRECTORY ${folder} VERBATIM)
  string(MD5 name ${output})
  add_custom_target(mpi_program_${name} DEPENDS ${output})
  add_dependencies(${target} mpi_program_${name})
endfunction()
